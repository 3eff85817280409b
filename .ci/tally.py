#!/usr/bin/env python3
"""Counts JUnit results. usage: tally.py RUNNER_FAILED RESULT.xml…

Names every skip and every failure, then prints `N passed, N failed, N skipped` as its last line.
Exit 1 if anything failed, if a runner failed, if a result file is missing, or if nothing ran.
"""
import glob
import sys
import xml.etree.ElementTree as ElementTree

EXPECTED = ("house.xml", "asan.xml", "release.xml", "e2e.xml")


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def reason(case):
    for tag in ("skipped", "failure", "error"):
        found = case.find(tag)
        if found is not None:
            return (found.get("message") or found.text or "").strip().splitlines()[:1]
    return []


def main(runner_failed, paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        for case in ElementTree.parse(path).iter("testcase"):
            result = outcome(case)
            counts[result] += 1
            if result != "passed":
                why = " ".join(reason(case))[:300]
                print(f"{result.upper()}: {case.get('classname', '')} {case.get('name')}: {why}")
    missing = [name for name in EXPECTED if not any(path.endswith("/" + name) for path in paths)]
    if missing:
        print(f"no results from: {', '.join(missing)}")
        counts["failed"] += len(missing)
    elif runner_failed and not counts["failed"]:
        print("a runner failed without naming a test")
        counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] == "1", [p for arg in sys.argv[2:] for p in glob.glob(arg)]))
