#!/usr/bin/env python3
"""Whole-process figures of the release binary: first frames, memory, idleness, and
what a command costs that prints a gigabyte as an attempt of a session.

Usage: cargo build --release && python3 benches/process.py [LOOPS]
       python3 benches/process.py output
Needs Linux (/proc) and Python's standard library, nothing else.
"""

import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

BINARY = os.path.abspath(os.environ.get("LOOPDECK", "target/release/loopdeck"))


def run(folder, *arguments):
    subprocess.run([BINARY, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def start(folder):
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ["TERM"] = "xterm-256color"
        os.execv(BINARY, ["loopdeck"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return begun, child, terminal


def until(terminal, begun, *wanted):
    """Milliseconds until each text was first seen."""
    seen, text = {}, b""
    while len(seen) < len(wanted) and time.perf_counter() - begun < 10:
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536)
            for word in wanted:
                if word not in seen and word in text:
                    seen[word] = (time.perf_counter() - begun) * 1000
    return [seen[word] for word in wanted]


def end(child, terminal):
    os.write(terminal, b"q")
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    os.waitpid(child, 0)
    os.close(terminal)


def switches(child):
    total = 0
    for task in os.listdir(f"/proc/{child}/task"):
        with open(f"/proc/{child}/task/{task}/status") as status:
            total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    return total


def timed(folder, *command):
    """Seconds, and the MiB that it held at most, of a command nobody listens to."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begun, used.ru_maxrss / 1024


def through_cat(command):
    """What a pipe costs, whoever reads at its other end."""
    begun = time.perf_counter()
    says = subprocess.Popen(command, stdout=subprocess.PIPE)
    subprocess.run(["cat"], stdin=says.stdout, stdout=subprocess.DEVNULL, check=True)
    says.wait()
    return time.perf_counter() - begun


def output():
    """About a gigabyte each: bare numbers, a build's lines, and results of tests."""
    commands = {
        "numbers": ["seq", "1", "110000000"],
        "a build": ["seq", "-f", "building object number %.0f of the tree", "1", "25000000"],
        "results": ["seq", "-f", "test module::case_%.0f ... ok", "1", "30000000"],
    }
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "init")
        for name, command in commands.items():
            alone, piped, heard, most = [], [], [], 0
            for _ in range(5):
                started = subprocess.check_output(
                    [BINARY, "--json", "session", "start", "--goal", name], cwd=folder)
                session = json.loads(started)["result"]["session_id"]
                alone.append(timed(folder, *command)[0])
                piped.append(through_cat(command))
                took, held = timed(folder, BINARY, "session", "run", session, "--", *command)
                heard.append(took)
                most = max(most, held)
            print(f"{name}: {min(alone):.2f} s to nowhere, {min(piped):.2f} s through a pipe "
                  f"to cat, {min(heard):.2f} s as an attempt "
                  f"(x{min(heard) / min(alone):.2f}; best of 5), at most {most:.1f} MiB")


def main():
    loops = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "init")
        for i in range(loops):
            run(folder, "loop", "open", "--kind", "ideation", "--title", f"Loop number {i}",
                "--proposal", f"text {i}")
        first, useful = [], []
        for _ in range(11):
            begun, child, terminal = start(folder)
            a, b = until(terminal, begun, b"loopdeck", b"Loop number")
            first.append(a)
            useful.append(b)
            end(child, terminal)
        print(f"{loops} loops: first frame {statistics.median(first):.1f} ms, "
              f"first useful frame {statistics.median(useful):.1f} ms (medians of 11; "
              f"useful {min(useful):.1f} to {max(useful):.1f})")
        begun, child, terminal = start(folder)
        until(terminal, begun, b"Loop number")
        time.sleep(2)
        with open(f"/proc/{child}/status") as status:
            print(next(line.strip() for line in status if line.startswith("VmRSS")))
        before = switches(child)
        time.sleep(10)
        print(f"context switches in 10 idle seconds: {switches(child) - before}")
        end(child, terminal)


if sys.argv[1:] == ["output"]:
    output()
else:
    main()
