#!/usr/bin/env python3
"""The deck as a whole process: how fast, how quiet, how large. Prints a table.

Usage: cargo build --release && python3 benches/deck.py [--soak MINUTES] [--quick]

Needs Linux (/proc) and Python's standard library. Where gitui and btm are
installed they are measured beside it, in the same run and in the same way.
"""

import argparse
import fcntl
import itertools
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

BINARY = os.path.abspath("target/release/loopdeck")
SIZE = (40, 120)
FRAME_ENDS = b"\x1b[?2026l"
MODES_OFF = [b"\x1b[?1049l", b"\x1b[?2004l", b"\x1b[?1004l", b"\x1b[?1006l", b"\x1b[?25h"]
ROWS = []
# What an agent files with a turn, in a storm.
ARTIFACTS = 8


def tell(what, bound, measured):
    ROWS.append((what, bound, measured))
    print(f"  {what}: {measured}  (bound: {bound})", file=sys.stderr)


def loopdeck(folder, *arguments):
    done = subprocess.run([BINARY, *arguments, "--json"], cwd=folder, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["result"]


def workspace(folder, loops):
    os.makedirs(folder)
    loopdeck(folder, "init")
    for i in range(loops):
        loopdeck(folder, "loop", "open", "--kind", "ideation", "--title", f"Loop number {i}",
                 "--proposal", f"text {i}")


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, folder, size=SIZE):
        self.begun = time.perf_counter()
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.environ["LC_ALL"] = "C.UTF-8"
            os.execvp(command[0], command)
        self.resize(*size)
        self.bytes = 0
        self.tail = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, wait):
        """What is there within so many seconds; b"" if nothing, None at the end."""
        if not select.select([self.fd], [], [], wait)[0]:
            return b""
        try:
            piece = os.read(self.fd, 1 << 16)
        except OSError:
            return None
        self.bytes += len(piece)
        return piece or None

    def until(self, *wanted, limit=20):
        """Milliseconds since the start at which each text was first seen."""
        seen, text = {}, b""
        while len(seen) < len(wanted):
            piece = self.read(0.2)
            if piece is None or time.perf_counter() - self.begun > limit:
                sys.exit(f"never seen: {[w for w in wanted if w not in seen]}")
            text += piece
            for word in wanted:
                if word not in seen and word in text:
                    seen[word] = (time.perf_counter() - self.begun) * 1000
        return [seen[word] for word in wanted]

    def quiet(self, wait=0.3):
        while self.read(wait):
            pass

    def key(self, keys, ends=FRAME_ENDS, limit=2.0):
        """Milliseconds from a key to the end of the frame that answers it."""
        begun = time.perf_counter()
        os.write(self.fd, keys)
        text = b""
        while ends not in text:
            piece = self.read(limit)
            if not piece:
                return None
            text += piece
        return (time.perf_counter() - begun) * 1000

    def switches(self):
        total = 0
        for task in os.listdir(f"/proc/{self.child}/task"):
            with open(f"/proc/{self.child}/task/{task}/status") as status:
                total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
        return total

    def cpu_ms(self):
        with open(f"/proc/{self.child}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def rss_mib(self):
        with open(f"/proc/{self.child}/status") as status:
            return next(int(l.split()[1]) for l in status if l.startswith("VmRSS")) / 1024

    def leave(self, keys=b"q", sig=None):
        """Milliseconds to the end, the exit status, and which modes were left on."""
        begun, text = time.perf_counter(), b""
        if sig:
            os.kill(self.child, sig)
        else:
            os.write(self.fd, keys)
        while True:
            piece = self.read(2)
            if not piece:
                break
            text += piece
        _, status = os.waitpid(self.child, 0)
        took = (time.perf_counter() - begun) * 1000
        os.close(self.fd)
        left_on = [mode.decode()[2:] for mode in MODES_OFF if mode not in text]
        return took, os.waitstatus_to_exitcode(status), left_on


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def ms(value):
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


def first_frames(folder, loops, bounds, runs):
    first, useful = [], []
    for _ in range(runs):
        deck = Terminal([BINARY], folder)
        a, b = deck.until(FRAME_ENDS, b"Loop number")
        first.append(a)
        useful.append(b)
        deck.quiet(0.1)
        deck.leave()
    tell(f"first frame, {loops:,} loops", "before the disk is read", ms(statistics.median(first)))
    tell(f"first useful frame, {loops:,} loops", bounds, f"{ms(statistics.median(useful))} "
         f"({useful and min(useful):.0f} to {max(useful):.0f})")


def keys(deck, count, name, bound):
    took, before = [], deck.bytes
    for i in range(count):
        one = deck.key(b"j" if i % 20 < 10 else b"k")
        if one is not None:
            took.append(one)
        # Frames are at most 60 a second: the next key is to meet a rested deck.
        time.sleep(0.02)
    tell(name, bound, f"p50 {percentile(took, 0.5):.1f} ms, p95 {percentile(took, 0.95):.1f} ms")
    return (deck.bytes - before) / max(len(took), 1)


class Storm:
    """Other processes that file artifacts, each in loops of its own: one that waits
    for the disk after every commit would not come to 500 a second."""

    def __init__(self, folder, processes, per_second, loops_each=1):
        wanted = processes * loops_each
        loops = loopdeck(folder, "loop", "list", "--limit", str(wanted))["loops"]
        ids = [loop["id"] for loop in loops]
        self.gusts = [Gusts(folder, ids[n::processes], per_second / processes)
                      for n in range(processes)]

    def end(self):
        return sum(gusts.end() for gusts in self.gusts)


class Gusts:
    """A process that takes turns in one loop after the other and files artifacts as fast
    as it is asked to."""

    def __init__(self, folder, loop_ids, per_second):
        self.mcp = subprocess.Popen([BINARY, "mcp", "--actor", "agent:storm"], cwd=folder,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.loop_ids, self.per_second, self.sent, self.calls = loop_ids, per_second, 0, 0
        self.stop = threading.Event()
        client = {"name": "storm", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                 "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.thread = threading.Thread(target=self.blow)
        self.begun = time.perf_counter()
        self.thread.start()

    def send(self, message):
        self.mcp.stdin.write(json.dumps(message).encode() + b"\n")
        self.mcp.stdin.flush()

    def call(self, method, params):
        self.calls += 1
        self.send({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params})
        return json.loads(self.mcp.stdout.readline())

    def ask(self, intent, events, loop_id, **arguments):
        arguments.update(intent=intent, loop_id=loop_id)
        answer = self.call("tools/call", {"name": "bclaw_loop", "arguments": arguments})
        if answer.get("error") or answer["result"].get("isError"):
            print(f"the storm was refused: {answer}", file=sys.stderr)
            self.stop.set()
            return
        self.sent += events
        ahead = self.begun + self.sent / self.per_second - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)

    def blow(self):
        for loop_id in itertools.cycle(self.loop_ids):
            if self.stop.is_set():
                return
            filed = [{"artifact_type": "critique", "body": f"gust {self.sent}, {n}"}
                     for n in range(ARTIFACTS)]
            self.ask("turn", 1, loop_id, role="champion")
            self.ask("complete_turn", ARTIFACTS + 1, loop_id, slot_id="champion",
                     outcome="done", artifacts=filed)

    def end(self):
        self.stop.set()
        self.thread.join()
        rate = self.sent / (time.perf_counter() - self.begun)
        self.mcp.stdin.close()
        self.mcp.wait()
        return rate


def small(folder):
    workspace(folder, 10)
    loop = loopdeck(folder, "loop", "list")["loops"][0]
    deck = Terminal([BINARY], folder)
    deck.until(b"Loop number")
    deck.quiet()
    took = []
    for i in range(30):
        # Every letter another one: a terminal is told only of the cells that change.
        letter = chr(ord("a") + i % 26)
        title = "Renamed " + letter * 8
        loopdeck(folder, "loop", "amend", loop["id"], "--title", title)
        begun, text = time.perf_counter(), b""
        wanted = re.compile(letter.encode() * 4)
        while not wanted.search(text):
            piece = deck.read(2)
            if not piece:
                break
            text += piece
        took.append((time.perf_counter() - begun) * 1000)
        deck.quiet(0.05)
    tell("another process's change to the screen", "p95 150 ms",
         f"p50 {percentile(took, 0.5):.0f} ms, p95 {percentile(took, 0.95):.0f} ms")
    endings = []
    for name, sig, wanted in [("q", None, 0), ("SIGTERM", signal.SIGTERM, 143),
                              ("SIGHUP", signal.SIGHUP, 129)]:
        took, status, left_on = deck.leave(sig=sig)
        fits = status == wanted and not left_on
        said = "" if fits else f" (status {status}, left on: {left_on})"
        endings.append(f"{name} {took:.0f} ms{said}")
        deck = Terminal([BINARY], folder)
        deck.until(b"Renamed")
        deck.quiet()
    deck.leave()
    tell("to the prompt, all modes off", "50 ms", ", ".join(endings))


def thousand(folder, idle_seconds):
    deck = Terminal([BINARY], folder)
    deck.until(b"Loop number")
    deck.quiet(1)
    per_key = keys(deck, 200, "key to frame, 1,000 loops", "p50 2 ms, p95 16 ms")
    tell("bytes a key press", "2 KiB", f"{per_key:.0f}")
    # With a new minute the ages of loops change, and so does the picture.
    if time.time() % 60 > 59 - idle_seconds:
        time.sleep(60 - time.time() % 60)
    deck.quiet(1)
    before, cpu = deck.switches(), deck.cpu_ms()
    time.sleep(idle_seconds)
    tell(f"idle for {idle_seconds} s", "0 context switches, 0.00 % CPU",
         f"{deck.switches() - before} switches, "
         f"{(deck.cpu_ms() - cpu) / idle_seconds / 10:.2f} %")
    tell("resident memory, 1,000 loops", "25 MiB", f"{deck.rss_mib():.1f} MiB")
    storm = Storm(folder, 8, 500)
    keys(deck, 200, "key to frame in a storm", "p95 33 ms")
    rate = storm.end()
    tell("the storm", "500 events/s", f"{rate:.0f} events/s")
    deck.quiet(1)
    deck.leave()


def soak(folder, minutes):
    """Random keys and sizes in a storm; what memory does."""
    deck = Terminal([BINARY], folder)
    deck.until(b"Loop number")
    # A loop that grows is held whole: what is filed is spread over many.
    storm = Storm(folder, 1, 20, 500)
    pressed, sizes, samples = 0, random.Random(7), []
    # Nothing that changes the store or leaves: looking alone is soaked.
    pool = [b"j", b"k", b"g", b"G", b"\t", b"]", b"[", b"w", b"\x1b", b"4", b"5", b"1", b"?",
            b"n", b"/", b"<", b">", b"\x04", b"\x15"]
    until = time.time() + minutes * 60
    while time.time() < until:
        for _ in range(50):
            os.write(deck.fd, sizes.choice(pool))
            pressed += 1
            deck.read(0.01)
        deck.resize(sizes.randint(10, 60), sizes.randint(40, 200))
        deck.read(0.02)
        samples.append(deck.rss_mib())
    storm.end()
    warm = samples[len(samples) // 5]
    tell(f"memory over {minutes} min of {pressed:,} keys", "+1 MiB after warming up",
         f"{warm:.1f} to {samples[-1]:.1f} MiB")
    os.write(deck.fd, b"\x1b" * 3)
    deck.quiet(1)
    deck.leave()


def others(folder):
    """Other programs in the same way, where they are installed."""
    subprocess.run(["git", "init", "-q"], cwd=folder, check=False)
    for name, command, wanted in [("gitui", ["gitui"], b"Status"), ("btm", ["btm"], b"CPU")]:
        if not shutil.which(name):
            tell(name, "beside it", "not installed here")
            continue
        program = Terminal(command, folder)
        (first,) = program.until(wanted)
        program.quiet(0.2)
        before, cpu = program.switches(), program.cpu_ms()
        time.sleep(5)
        tell(name, "beside it", f"first useful frame {ms(first)}, idle "
             f"{(program.switches() - before) / 5:.0f} switches/s and "
             f"{(program.cpu_ms() - cpu) / 50:.2f} %, {program.rss_mib():.1f} MiB")
        program.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES")
    parser.add_argument("--quick", action="store_true", help="fewer runs, no 5,000 loops")
    wanted = parser.parse_args()
    runs = 5 if wanted.quick else 11
    with tempfile.TemporaryDirectory() as base:
        for name in ["CONFIG", "STATE", "CACHE"]:
            os.environ[f"LOOPDECK_{name}_DIR"] = os.path.join(base, name.lower())
        folder = os.path.join(base, "ten")
        workspace(folder, 10)
        first_frames(folder, 10, "20 ms", runs)
        small(os.path.join(base, "small"))
        folder = os.path.join(base, "thousand")
        workspace(folder, 1000)
        first_frames(folder, 1000, "30 ms", runs)
        thousand(folder, 10)
        if not wanted.quick:
            folder = os.path.join(base, "five-thousand")
            workspace(folder, 5000)
            first_frames(folder, 5000, "60 ms", runs)
        if wanted.soak:
            soak(os.path.join(base, "thousand"), wanted.soak)
        others(folder)
    print("| what | bound | measured |\n|---|---|---|")
    for row in ROWS:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
