"""The systemd files are accepted by systemd's own tools, and give the modes that the daemons need."""
import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SYSTEMD = ROOT / "packaging/systemd"
DAEMONS = ["plimsoll-agent", "plimsoll-controller"]
BIN = pathlib.Path(os.environ.get("PLIMSOLL_BIN", ROOT / "build/release/bin"))


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120,
                          check=False)


def settings(daemon):
    """The unit's [Service] keys; a key given several times keeps all its values."""
    values = {}
    for line in (SYSTEMD / f"{daemon}.service").read_text().splitlines():
        if match := re.match(r"(\w+)=(.*)", line):
            values.setdefault(match[1], []).append(match[2])
    return values


def executable_for(daemon, folder):
    """The built daemon; before it is built, a stand-in: `verify` only asks whether the file can be run."""
    built = BIN / daemon
    if built.exists():
        return built
    stand_in = folder / f"{daemon}-stand-in-for-verify"
    stand_in.write_text("#!/bin/sh\nexit 1\n")
    stand_in.chmod(0o755)
    return stand_in


@pytest.fixture(name="root")
def fixture_root(tmp_path):
    """A root directory in which sysusers and tmpfiles have run, as a package's installation does."""
    (tmp_path / "etc").mkdir()
    users = run("systemd-sysusers", f"--root={tmp_path}", SYSTEMD / "plimsoll.sysusers")
    assert users.returncode == 0, users.stderr
    return tmp_path


def user_in(root):
    for line in (root / "etc/passwd").read_text().splitlines():
        fields = line.split(":")
        if fields[0] == "plimsoll":
            return fields
    raise AssertionError("no user plimsoll")


@pytest.mark.parametrize("daemon", DAEMONS)
def test_systemd_accepts_the_unit(daemon, tmp_path):
    unit = tmp_path / f"{daemon}.service"
    text = (SYSTEMD / unit.name).read_text()
    assert f"ExecStart=/usr/bin/{daemon}\n" in text
    unit.write_text(text.replace(f"/usr/bin/{daemon}", str(executable_for(daemon, tmp_path))))
    done = run("systemd-analyze", "verify", "--man=no", unit)
    assert done.returncode == 0, done.stderr
    assert str(unit) not in done.stderr and daemon not in done.stderr, done.stderr


@pytest.mark.parametrize("daemon", DAEMONS)
def test_a_spelling_mistake_would_be_found(daemon, tmp_path):
    unit = tmp_path / f"{daemon}.service"
    text = (SYSTEMD / unit.name).read_text().replace("ProtectHome=yes", "ProtectHomes=yes")
    unit.write_text(text.replace(f"/usr/bin/{daemon}", str(executable_for(daemon, tmp_path))))
    assert "ProtectHomes" in run("systemd-analyze", "verify", "--man=no", unit).stderr


@pytest.mark.parametrize("daemon", DAEMONS)
def test_exposure_is_at_most_two_and_a_half(daemon):
    unit = SYSTEMD / f"{daemon}.service"
    done = run("systemd-analyze", "security", "--offline=true", "--threshold=25", unit)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overall exposure level" in done.stdout


@pytest.mark.parametrize("daemon", DAEMONS)
def test_what_the_daemons_rely_on(daemon):
    values = settings(daemon)
    assert values["Type"] == ["notify"]
    assert values["User"] == ["plimsoll"] and values["Group"] == ["plimsoll"]
    assert values["RuntimeDirectory"] == ["plimsoll"]
    assert values["RuntimeDirectoryMode"] == ["0755"]
    assert values["RuntimeDirectoryPreserve"] == ["yes"]
    assert values["ExecReload"] == ["/bin/kill -HUP $MAINPID"]
    assert "PrivateUsers" not in values  # peers would look like nobody
    assert "ProcSubset" not in values  # the boot id is below /proc/sys


def test_only_the_controller_has_state():
    assert settings("plimsoll-controller")["StateDirectory"] == ["plimsoll"]
    assert settings("plimsoll-controller")["StateDirectoryMode"] == ["0700"]
    assert "StateDirectory" not in settings("plimsoll-agent")


def test_chown_is_allowed_after_it_is_taken_away():
    filters = settings("plimsoll-agent")["SystemCallFilter"]
    assert filters.index("~@privileged @resources") < filters.index("chown fchown fchownat")


def test_sysusers_makes_user_and_group_without_a_shell(root):
    fields = user_in(root)
    assert int(fields[2]) != 0
    assert fields[5:] == ["/nonexistent", "/usr/sbin/nologin"]
    groups = (root / "etc/group").read_text()
    assert re.search(rf"^plimsoll:x:{fields[3]}:", groups, re.M)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give directories away")
def test_tmpfiles_makes_the_run_directory_and_segments(root):
    fields = user_in(root)
    done = run("systemd-tmpfiles", f"--root={root}", "--create", SYSTEMD / "plimsoll.tmpfiles")
    assert done.returncode == 0, done.stderr
    for path, mode in ((root / "run/plimsoll", 0o755), (root / "run/plimsoll/segments", 0o3770)):
        info = path.stat()
        assert stat.S_IMODE(info.st_mode) == mode, path
        assert (info.st_uid, info.st_gid) == (int(fields[2]), int(fields[3])), path


def test_the_tools_are_here():
    for tool in ("systemd-analyze", "systemd-sysusers", "systemd-tmpfiles"):
        assert shutil.which(tool), f"{tool} is missing: apt install systemd"
