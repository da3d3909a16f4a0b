#!/usr/bin/env python3
"""Figures of the MCP server: start, a call that reads, a call that writes, and
the same commit by the command line's engine for comparison.

Usage: cargo build --release && python3 benches/mcp.py [LOOPS]
LOOPDECK_BINARY names another binary. Needs Python's standard library only.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BINARY = os.environ.get("LOOPDECK_BINARY", os.path.abspath("target/release/loopdeck"))


class Server:
    def __init__(self, folder):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [BINARY, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.id = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "0"}})
        self.started = (time.perf_counter() - self.begun) * 1000
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.say({"id": self.id, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())

    def call(self, tool, arguments):
        """The answer, milliseconds as the client sees them, and inside the server."""
        begun = time.perf_counter()
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        took = (time.perf_counter() - begun) * 1000
        body = answer["result"]["structuredContent"]
        assert body["status"] == "ok", body
        return body, took, body.get("duration_ms")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def run(folder, *arguments):
    done = subprocess.run([BINARY, *arguments, "--json"], cwd=folder, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["result"]


def told(name, values):
    values = sorted(values)
    p95 = values[int(len(values) * 0.95)]
    print(f"{name}: median {statistics.median(values):.2f} ms, p95 {p95:.2f} ms")


def main():
    loops = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "init")
        server = Server(folder)
        for i in range(loops):
            body, _, _ = server.call("bclaw_loop", {
                "intent": "open", "kind": "ideation", "title": f"Loop number {i}",
                "proposal": f"text {i}", "allow_orphan": True})
        loop = body["result"]["loop"]["id"]
        server.end()

        starts = []
        for _ in range(11):
            server = Server(folder)
            starts.append(server.started)
            server.end()
        told(f"start to the first answer, {loops} loops", starts)

        server = Server(folder)
        reads, writes, commits = [], [], []
        for i in range(200):
            reads.append(server.call("bclaw_loop", {"intent": "get", "loop_id": loop}))
            writes.append(server.call("bclaw_loop", {
                "intent": "add_artifact", "loop_id": loop, "type": "note", "body": f"note {i}"}))
            why = {"loop_id": loop}
            commits.append(server.call("loop_why", why))
        told("a call that reads (get), as the client sees it", [took for _, took, _ in reads])
        told("a call that reads (get), in the server", [inside for _, _, inside in reads])
        told("a call that reads (loop_why), as the client sees it", [took for _, took, _ in commits])
        told("a call that writes (add_artifact), as the client sees it",
             [took for _, took, _ in writes])
        told("a call that writes (add_artifact), in the server", [inside for _, _, inside in writes])
        server.end()

        whole, bare = [], []
        for i in range(40):
            begun = time.perf_counter()
            run(folder, "loop", "add", loop, "--type", "note", "--body", f"by hand {i}")
            whole.append((time.perf_counter() - begun) * 1000)
            begun = time.perf_counter()
            subprocess.run([BINARY, "--version"], stdout=subprocess.DEVNULL, check=True)
            bare.append((time.perf_counter() - begun) * 1000)
        told("the same by the command line, the whole process", whole)
        told("the command line doing nothing", bare)


main()
