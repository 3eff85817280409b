#!/usr/bin/env python3
"""The arrows between folders, checked from #include lines. usage: layers.py [ROOT]; exit 1 on any finding.

ARROWS says which folder may include which; CONFINED where a library from outside may be named; PURE which
folders may see no clock, file, thread or socket. Include cycles between files are findings too.
"""
import os
import re
import sys

ARROWS = {  # the most specific prefix of a path wins
    "schemas": {"schemas"},
    "runtime": {"runtime", "schemas"},
    "config": {"config", "schemas"},
    "shim": {"shim", "schemas"},
    "agent/core": {"agent/core", "schemas"},
    "agent/io": {"agent/io", "agent/core", "runtime", "schemas"},
    "agent": {"agent", "agent/io", "agent/core", "runtime", "config", "schemas"},
    "controller/core": {"controller/core", "schemas"},
    "controller/io": {"controller/io", "controller/core", "runtime", "schemas"},
    "controller": {"controller", "controller/io", "controller/core", "runtime", "config", "schemas"},
    "cli": {"cli", "shim", "runtime", "config", "schemas"},
    "tests": {"*"},
}
CONFINED = {  # start of a header's name: folders that may name it
    "uv.h": {"runtime"},
    "microhttpd.h": {"runtime"},
    "curl/": {"runtime"},
    "spdlog/": {"runtime"},
    "systemd/": {"runtime"},
    "sqlite3.h": {"controller/io"},
    "yaml-cpp/": {"config"},
    "boost/": {"shim"},
    "CLI/": {"cli", "agent", "controller"},
    "flatbuffers/": {"schemas", "shim"},
    "progress_generated.h": {"schemas", "shim"},
    "uplink_generated.h": {"schemas"},
}
PURE = {"schemas", "agent/core", "controller/core"}
IMPURE = re.compile(r"^(thread|mutex|fstream|iostream|filesystem|condition_variable|future|semaphore"
                    r"|unistd\.h|sys/|fcntl\.h|time\.h|ctime|signal\.h|pthread\.h)")
PRODUCT_WORD = re.compile(r"snapshot|backup|velero|restic|(?<!EIN)(?<!NO)(?<!_in_)progress", re.I)
SOURCE = (".h", ".hpp", ".c", ".cpp")
INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^>"]+)')
SKIPPED = {"build", ".git"}


def layer_of(path):
    fits = [name for name in ARROWS if path.startswith(name + "/")]
    return max(fits, key=len, default="")


def source_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIPPED]
        for name in names:
            if name.endswith(SOURCE):
                yield os.path.relpath(os.path.join(folder, name), root)


def check_include(path, place, quote, header, known):
    me = layer_of(path)
    if header in known:
        to = layer_of(header)
        if "*" not in ARROWS[me] and to not in ARROWS[me]:
            yield f"{place}: {me} may not include {to} ({header})"
        return
    if me == "tests":
        return
    if quote == '"' and header.startswith(tuple(name + "/" for name in ARROWS)):
        yield f"{place}: no such file {header}"
    for start, folders in CONFINED.items():
        if header.startswith(start) and me not in folders:
            yield f"{place}: <{header}> belongs in {', '.join(sorted(folders))}"
    if me in PURE and IMPURE.match(header):
        yield f"{place}: {me} is pure and includes <{header}>"


def find_cycles(edges):
    done, stack, cycles = set(), [], []

    def visit(path):
        if path in stack:
            cycles.append("include cycle: " + " -> ".join(stack[stack.index(path):] + [path]))
            return
        if path in done:
            return
        stack.append(path)
        for target in sorted(edges.get(path, ())):
            visit(target)
        stack.pop()
        done.add(path)

    for path in sorted(edges):
        visit(path)
    return cycles


def main(root):
    known = set(source_files(root))
    findings, edges = [], {}
    for path in sorted(known):
        me = layer_of(path)
        if not me:
            continue
        with open(os.path.join(root, path), errors="replace") as file:
            for number, line in enumerate(file, 1):
                place = f"{path}:{number}"
                if me == "runtime" and PRODUCT_WORD.search(line):
                    findings.append(f"{place}: runtime knows no product word")
                include = INCLUDE.match(line)
                if include:
                    findings += check_include(path, place, include[1], include[2], known)
                    if include[2] in known:
                        edges.setdefault(path, set()).add(include[2])
    findings += find_cycles(edges)
    print("\n".join(findings) or f"layers ok: {len(known)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
