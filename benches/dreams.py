#!/usr/bin/env python3
"""Dreams of very many record files by the release binary: time and peak memory.

Usage: cargo build --release && python3 benches/dreams.py [RECORDS …]
Without numbers 250,000, 500,000 and 1,000,000, each its own file: about 4 GB
below the folder for temporary files (TMPDIR). Every count is dreamt twice with
selection = "all"; the second run, its files in memory, is the one that counts.
Needs Python's standard library, nothing else.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

BINARY = os.path.abspath("target/release/loopdeck")
if "CARGO_TARGET_DIR" in os.environ:
    BINARY = os.path.join(os.environ["CARGO_TARGET_DIR"], "release/loopdeck")
DOMAINS, PHASES, SKILLS, CASE = 12, 8, 10, 4
MASK = (1 << 64) - 1


def mixed(n):
    """A number that looks like chance and is the same in every run."""
    x = n * 0x9E3779B97F4A7C15 & MASK
    x ^= x >> 31
    return (x * 0xBF58476D1CE4E5B9 & MASK) >> 7


def write(root, first, after):
    """Writes the records from one number to before another."""
    for n in range(first, after):
        x = mixed(n)
        case = n // CASE
        domain = mixed(case) % DOMAINS
        phase, skill = x // 16 % PHASES, x // 256 % SKILLS
        day, minute = 1 + n % 28, n // 28 % 1440
        folder = f"{root}/domain-{domain}/case-{case}"
        if n % CASE == 0 or n == first:
            os.makedirs(folder, exist_ok=True)
        record = {
            "id": f"rwd_{n:08x}", "version": "1.1",
            "timestamp": f"2026-02-{day:02}T{minute // 60:02}:{minute % 60:02}:00Z",
            "case_slug": f"case-{case}", "domain": f"domain-{domain}",
            "phase": f"phase-{phase}", "phase_name": f"Phase {phase}",
            "skill_used": f"skill-{skill}", "reward": x // 4096 % 101 / 100,
            "reward_label": "good", "reward_reason": "as it was seen at the end of the phase",
            "context": {"loop_id": "x"},
            "outcome": {"artifacts_created": ["a", "b"], "iterations": 1 + x % 3},
            "usage_count": 0,
        }
        with open(f"{folder}/phase-{phase}_{n}.json", "w") as file:
            json.dump(record, file)


def dream(folder):
    """Seconds, peak memory in MiB, and what was said."""
    begun = time.perf_counter()
    child = subprocess.Popen([BINARY, "dream", "run", "--force", "--json"], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - begun
    if status != 0:
        sys.exit(f"the dream ended with {status}: {said[:300]!r}")
    return took, usage.ru_maxrss / 1024, json.loads(said)


def main():
    counts = sorted(int(word) for word in sys.argv[1:]) or [250_000, 500_000, 1_000_000]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([BINARY, "init"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/.loopdeck/config.toml", "a") as config:
            config.write('\n[dream]\nselection = "all"\n')
        there = 0
        for count in counts:
            write(f"{folder}/.keysarium/memory", there, count)
            there = count
            dream(folder)
            took, peak, said = dream(folder)
            analyzed = said["result"]["records_analyzed"]
            assert analyzed == count, f"{analyzed} of {count} records were dreamt from"
            print(f"{count:>9} records: {took:6.2f} s, {took / count * 1e6:5.1f} µs a record, "
                  f"peak {peak:5.0f} MiB", flush=True)


main()
