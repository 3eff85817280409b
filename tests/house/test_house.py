"""House rules as tests: arrows, format, names; what each binary links; what docs must mention."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PLIMSOLL_BIN", ROOT / "build/release/bin"))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, **options)


@pytest.mark.parametrize("script", ["layers.py", "house_rules.py"])
def test_rule_script_finds_nothing(script):
    result = run(sys.executable, f".ci/{script}")
    assert result.returncode == 0, result.stdout


def test_layers_script_can_find_something(tmp_path):
    (tmp_path / "agent/core").mkdir(parents=True)
    (tmp_path / "controller/core").mkdir(parents=True)
    (tmp_path / "controller/core/x.hpp").write_text("// x\n")
    (tmp_path / "agent/core/y.cpp").write_text(
        '// y\n#include "controller/core/x.hpp"\n#include <thread>\n#include <uv.h>\n')
    result = run(sys.executable, str(ROOT / ".ci/layers.py"), str(tmp_path))
    assert result.returncode == 1
    assert "agent/core may not include controller/core" in result.stdout
    assert "is pure and includes <thread>" in result.stdout
    assert "<uv.h> belongs in runtime" in result.stdout


def test_house_rules_script_can_find_something(tmp_path):
    (tmp_path / "shim").mkdir()
    (tmp_path / "shim/file_helper.cpp").write_text("int x;\n// TODO\n" + "// long\n" * 400)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    result = run(sys.executable, str(ROOT / ".ci/house_rules.py"), str(tmp_path))
    assert result.returncode == 1
    for finding in ("the name says nothing", "begin with what", "at most 400", "do it, or say"):
        assert finding in result.stdout


def test_sources_are_formatted():
    sources = run("git", "ls-files", "*.cpp", "*.hpp", "*.c", "*.h").stdout.split()
    sources = [s for s in sources if not s.startswith("tests/recorded/")]
    assert len(sources) > 50
    result = run("clang-format-14", "--dry-run", "-Werror", *sources)
    assert result.returncode == 0, result.stderr[-3000:]


@pytest.mark.parametrize("binary,banned", [
    ("plimsoll-agent", r"sqlite|grpc|protobuf|libcurl|boost"),
    ("plimsoll-controller", r"libcurl|boost"),
])
def test_binary_does_not_link_what_its_room_may_not_know(binary, banned):
    linked = run("ldd", str(BIN / binary))
    assert linked.returncode == 0, linked.stderr
    assert "libuv" in linked.stdout
    assert not re.search(banned, linked.stdout), linked.stdout


def test_docs_name_every_error_code():
    codes = re.findall(r'ErrorCodeInfo\{ErrorCode::\w+,\s+"(\w+)"', (ROOT / "schemas/error_codes.hpp").read_text())
    docs = (ROOT / "docs/operating.md").read_text()
    assert len(codes) > 20
    assert [c for c in codes if f"`{c}`" not in docs] == []


def test_every_package_has_a_reason():
    for line in (ROOT / ".ci/packages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            assert len(line.split(None, 1)) == 2, line


def test_readme_map_names_only_what_exists():
    readme = (ROOT / "README.md").read_text()
    paths = re.findall(r"`((?:schemas|shim|runtime|agent|controller|cli|config|packaging|tests|docs)/[\w./-]+)`",
                       readme)
    assert len(paths) > 10
    assert [p for p in paths if not (ROOT / p).exists()] == []
