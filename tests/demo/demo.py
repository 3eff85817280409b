#!/usr/bin/env python3
"""Plays the whole story with a real restic and checks each step. usage: ./dev demo [--small]

The scenarios are those of the end-to-end tests (tests/e2e/scenarios.py); here they run at full size, aloud.
Exit 0 only if every step was checked and held.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import scenarios  # noqa: E402
from harness import BIN, House, Restic  # noqa: E402

LIVE = sys.stdout.isatty()
BOLD, GREEN, RED, DIM, PLAIN = ("\033[1m", "\033[32m", "\033[31m", "\033[2m", "\033[0m") if LIVE else ("",) * 5
LOST_AFTER_SECONDS = 5
BEGUN = time.monotonic()
CHECKED = []


def chapter(title):
    print(f"\n{BOLD}{title}{PLAIN}", flush=True)


def tell(text):
    CHECKED.append(text)
    print(f"  {GREEN}✓{PLAIN} {DIM}{time.monotonic() - BEGUN:6.1f} s{PLAIN}  {text}", flush=True)


def show_live(house, backup):
    """A function that lets `plimsoll watch` draw for some seconds."""

    def show(seconds):
        sys.stdout.flush()
        command = [str(BIN / "plimsoll"), "watch", backup] + ([] if LIVE else ["--plain"])
        subprocess.run(["timeout", "--foreground", "-s", "INT", str(seconds), *command], env=house.env, check=False)

    return show


def play(house, work, small):
    size, limits = (64, (2200, 800)) if small else (768, (21000, 9000))
    chapter("1. Two uploads, and everything around them dies")
    big, logs = Restic(work, "data", size), Restic(work, "logs", size // 3)
    tell(f"made {size + size // 3} MiB of random files and two fresh restic repositories")
    figures = scenarios.nightly(house, big, logs, limits, tell, show_live(house, "nightly"))
    victim = Restic(work, "victim", 256)
    chapter("2. A backup is deleted while its upload runs")
    scenarios.deleted(house, victim, 8000, tell, show_live(house, "doomed"))
    chapter("3. The wrapper is killed with SIGKILL")
    figures |= scenarios.lost(house, victim, 8000, tell, show_live(house, "orphaned"))
    chapter("4. restic alone is killed")
    scenarios.tool_killed(house, victim, 8000, tell, show_live(house, "crashed"))
    return figures


def report(house, figures):
    chapter("What is there now")
    print(house.ok("get", "backups"))
    chapter("Measured")
    share = figures["wrapper's CPU / restic's"]
    print(f"  wrapper's own CPU            {share:.2%} of restic's (at most 2 %)")
    print(f"  kill -9 of a mover to Lost   {figures['kill to Lost'] * 1000:.0f} ms (at most 1500 ms)")
    print(f"  agent restart to all found   {figures['agent found everything after']:.2f} s (at most 2 s)")
    print(f"  controller restart to live   {figures['controller knew everything after']:.2f} s")
    assert share <= 0.02, "the wrapper took more than 2 % of restic's CPU"
    assert figures["kill to Lost"] <= 1.5, "Lost came late"
    assert figures["agent found everything after"] <= 2.0, "the agent was slow to find everything"


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="plimsoll-demo-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    house = House(agent_yaml=f"lostAfter: {LOST_AFTER_SECONDS}s\n")
    try:
        print(f"{BOLD}Plimsoll: a backup is Completed when it is durable, and not before{PLAIN}")
        house.start_all()
        tell(f"controller and agent run in {house.run}, without configuration but lostAfter = {LOST_AFTER_SECONDS} s")
        report(house, play(house, work, "--small" in sys.argv[1:]))
    except Exception as error:  # the last line must say what did not hold
        print(f"\n{RED}✗ {type(error).__name__}: {error}{PLAIN}", flush=True)
        for name in ("agent", "controller"):
            print(f"--- {name}\n{house.log(name)}")
        return 1
    finally:
        house.close()
        shutil.rmtree(work, ignore_errors=True)
    print(f"\n{GREEN}{BOLD}{len(CHECKED)} steps, each checked, in {time.monotonic() - BEGUN:.0f} s{PLAIN}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
