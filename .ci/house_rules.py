#!/usr/bin/env python3
"""House rules that a compiler does not know. usage: house_rules.py [ROOT]; exit 1 on any finding.

File and line lengths, first lines, names that say nothing, words that must not appear, folders that grow flat,
machine paths and registry hosts anywhere in the project. The arrows between folders are layers.py's.
"""
import collections
import os
import re
import subprocess
import sys

SOURCE = (".h", ".hpp", ".c", ".cpp")
FOLDERS = ("schemas", "shim", "runtime", "agent", "controller", "cli", "config", "tests")
LINES_MAX, COLUMNS_MAX, UNITS_PER_FOLDER_MAX = 400, 100, 16
WIDE_FOLDERS = ("tests", "shim/run/tools", "cli/commands", "schemas")  # flat on purpose: a list of like things
EMPTY_NAME = re.compile(r"(^|_)(util|utils|helper|helpers|common|misc|manager|base)(_|\.|$)")
RULES = [  # pattern, where it is allowed, what to do instead
    (r"::now\(", r"^(runtime/clock|tests/)", "take TimePoint now as an argument"),
    (r"\bTODO\b|\bFIXME\b|\bXXX\b", r"^$", "do it, or say in docs what is missing"),
    (r"uv_default_loop", r"^$", "pass the Loop"),
    (r"managed_shared_memory|interprocess_mutex|named_mutex", r"^$",
     "no locks or allocators in shared memory"),
    (r"\bco_(await|yield|return)\b", r"^$", "no coroutines: g++ 12 miscompiles them"),
    (r"\bsleep_for\b|\busleep\(|\bsleep\(", r"^tests/(support|stress)/",
     "wait for a condition with a watchdog"),
    (r"\bshared_ptr\b", r"^(runtime|controller/io|tests)/", "one owner; pass a reference"),
    (r"^\s*friend\b", r"^$", "split the class"),
    (r"memory_order_relaxed(?!.*//)", r"^tests/", "say on the same line why relaxed is enough"),
]
FOREIGN = [  # in any text file of the project
    (re.compile(r"(?<![\w./-])/(work|farm|root)/[\w.-]"), "a path of one machine"),
    (re.compile(r"\b(registry|proxy|files|deb|static|index)\.[a-z0-9-]+\.(org|io|com|net)\b", re.I),
     "a package registry's host"),
]


def check_source(path, lines):
    if len(lines) > LINES_MAX:
        yield f"{path}: {len(lines)} lines, at most {LINES_MAX}"
    if not lines or not lines[0].startswith(("//", "/*")):
        yield f"{path}:1: begin with what this file is for"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and "http" not in line:
            yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"
        for pattern, allowed, instead in RULES:
            if re.search(pattern, line) and not (allowed != "^$" and re.match(allowed, path)):
                yield f"{path}:{number}: {instead}"


def check_folders(paths):
    units = collections.defaultdict(set)
    for path in paths:
        if path.endswith(SOURCE) and path.startswith(FOLDERS):
            units[os.path.dirname(path)].add(os.path.basename(path).rsplit(".", 1)[0])
    for folder, names in sorted(units.items()):
        flat_on_purpose = folder.startswith("tests") or folder in WIDE_FOLDERS
        if len(names) > UNITS_PER_FOLDER_MAX and not flat_on_purpose:
            yield f"{folder}: {len(names)} units, at most {UNITS_PER_FOLDER_MAX}: name a group"


def check_foreign(path, lines):
    for number, line in enumerate(lines, 1):
        for pattern, what in FOREIGN:
            if pattern.search(line):
                yield f"{path}:{number}: {what}"


def project_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout
    return [p for p in listed.splitlines() if not p.startswith("tests/recorded/")]


def main(root):
    findings, paths = [], project_files(root)
    for path in paths:
        if EMPTY_NAME.search(os.path.basename(path).rsplit(".", 1)[0]):
            findings.append(f"{path}: the name says nothing; name the thing it does")
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        if path.endswith(SOURCE) and path.startswith(FOLDERS):
            findings += check_source(path, lines)
        if path not in (".ci/house_rules.py",):
            findings += check_foreign(path, lines)
    findings += check_folders(paths)
    print("\n".join(findings) or f"house rules ok: {len(paths)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
