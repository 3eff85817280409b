"""The command line against recorded documents: words, streams, exit codes, terminals. No real daemon."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from fake_daemon import API, FakeDaemon, backup, error, upload

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PLIMSOLL_BIN", ROOT / "build/release/bin")) / "plimsoll"
WATCHDOG_SECONDS = 60
GIB = 1 << 30
RUNNING = upload("3fa9000000000001", "persistentvolumeclaims/shop/data-0", itemsCompleted=GIB // 2,
                 itemsToComplete=GIB, percent=50.0, ratePerSecond=1048576.0, etaSeconds=512,
                 activity="sending", updated="2026-12-01T15:00:05.000Z")
OTHER = upload("5ba9000000000002", "paths/srv", "Pending", node="")
DONE = upload("5ba9000000000003", "paths/etc", "Completed", completed=True, outcome="durable",
              itemsCompleted=GIB, itemsToComplete=GIB, percent=100.0)


@pytest.fixture
def run_dir(tmp_path):
    return tmp_path


@pytest.fixture
def controller(run_dir):
    with FakeDaemon(run_dir / "controller.sock") as daemon:
        daemon.set("uploads", RUNNING, OTHER, DONE)
        daemon.set("backups", backup("nightly", "Uploading", [RUNNING, OTHER, DONE]),
                   backup("weekly", "Completed"), backup("monthly", "PartiallyFailed"))
        yield daemon


@pytest.fixture
def cli(run_dir):
    def call(*args, stdin=subprocess.DEVNULL, env=None, **options):
        full = dict(os.environ, PLIMSOLL_RUN_DIR=str(run_dir), LC_ALL="C.UTF-8", **(env or {}))
        full.pop("NO_COLOR", None)
        return subprocess.run([str(BIN), *map(str, args)], capture_output=True, text=True, env=full,
                              stdin=stdin, timeout=WATCHDOG_SECONDS, **options)
    return call


# Help and usage

def all_commands():
    nested = {"get": ["uploads", "backups", "nodes"], "describe": ["backup", "upload"],
              "backup": ["create", "add", "seal", "delete", "wait"]}
    top = ["run", "get", "describe", "watch", "cancel", "backup", "healthcheck", "check-config", "version"]
    return [[name] for name in top] + [[name, sub] for name in nested for sub in nested[name]]


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_has_help_with_examples_on_stdout(cli, command):
    result = cli(*command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.startswith(f"plimsoll {' '.join(command)} - ")
    assert "Usage: plimsoll " in result.stdout and "Examples:" in result.stdout


def test_the_documentation_names_every_command_and_flag_of_the_binary_and_no_other(cli):
    text = (ROOT / "docs/cli.md").read_text()
    flags_of = {"": set(re.findall(r"^  (?:-\w, )?(--?[a-z][a-z-]*)", cli("--help").stdout, re.M))}
    for command in all_commands():
        help_text = cli(*command, "--help").stdout
        name = " ".join(command)
        assert re.search(rf"^#+ `plimsoll {name}\b", text, re.M), f"docs/cli.md has no section of '{name}'"
        flags = re.search(r"\nFlags:\n(.*?)\n\n", help_text, re.S)
        flags_of[name] = set(re.findall(r"^  (?:-\w, )?(--?[a-z][a-z-]*)", flags[1], re.M)) if flags else set()
    known = set().union(*flags_of.values()) | {"--help", "--", "-f", "-q", "-h"}
    documented = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", re.sub(r"```.*?```", "", text, flags=re.S)))
    assert known - {"--", "-h"} <= documented, known - documented
    assert documented <= known | {"--json", "-r"}, documented - known


@pytest.mark.parametrize("args", [
    [], ["frobnicate"], ["get"], ["get", "unicorns"], ["backup", "create"], ["get", "backups", "-o", "xml"],
    ["get", "uploads", "--state", "Nonsense"], ["--timeout", "soon", "get", "nodes"], ["watch", "--until", "x"],
    ["backup", "create", "b", "--item", "a/b,colour=red"], ["cancel"], ["healthcheck", "kernel"],
    ["--agent", "get", "backups"], ["describe", "upload", "ab"], ["run"],
])
def test_usage_errors_exit_2_with_a_hint_on_stderr(cli, controller, run_dir, args):
    with FakeDaemon(run_dir / "agent.sock"):
        result = cli(*args)
    assert result.returncode == 2, result
    assert result.stdout == "" and "hint:" in result.stderr


def test_a_mistyped_command_is_met_with_the_nearest_one(cli):
    assert "did you mean describe?" in cli("descrbe").stderr
    assert "did you mean --backup?" in cli("get", "uploads", "--bakup", "x").stderr


# Getting

def test_get_reads_every_page(cli, controller):
    lines = cli("get", "uploads").stdout.splitlines()
    assert len(lines) == 4 and lines[0].split()[0] == "ID"
    assert len([r for r in controller.requests if r[1].startswith("/v1/uploads")]) == 2


def test_get_as_json_is_the_servers_document_one_or_a_list(cli, controller):
    one = json.loads(cli("get", "backup", "nightly", "-o", "json").stdout)
    assert one["kind"] == "Backup" and "paths/srv" in one["status"]["uploadProgress"]
    both = json.loads(cli("get", "backups", "nightly", "weekly", "-o", "json").stdout)
    assert both["kind"] == "BackupList" and both["apiVersion"] == API and len(both["items"]) == 2
    everything = json.loads(cli("get", "uploads", "-o", "json").stdout)
    assert everything["kind"] == "UploadList" and len(everything["items"]) == 3
    assert everything["items"][0]["status"]["itemsCompleted"] == GIB // 2


def test_get_as_yaml_is_the_same_value(cli, controller):
    yaml = pytest.importorskip("yaml")
    as_yaml = yaml.safe_load(cli("get", "upload", "3fa9", "-o", "yaml").stdout)
    as_json = json.loads(cli("get", "upload", "3fa9", "-o", "json").stdout)
    assert as_yaml == as_json and as_json["kind"] == "Upload"


def test_names_are_what_other_commands_take(cli, controller):
    assert cli("get", "uploads", "-o", "name").stdout.split() == [
        "3fa9000000000001", "5ba9000000000002", "5ba9000000000003"]
    assert cli("get", "backups", "-o", "name").stdout.split() == ["nightly", "weekly", "monthly"]


def test_filters_go_to_the_server_in_its_own_words(cli, controller):
    cli("get", "uploads", "--backup", "a&b", "--state", "running", "--node", "n", "--orphans")
    path = controller.requests[-1][1]
    assert "backup=a%26b" in path and "state=Running" in path and "node=n" in path and "orphans=1" in path


def test_a_backup_that_is_uploading_is_said_to_be_not_restorable_yet(cli, controller):
    rows = {line.split()[0]: line for line in cli("get", "backups", "--no-headers").stdout.splitlines()}
    assert "not restorable yet" in rows["nightly"] and "restorable" not in rows["weekly"]


def test_an_unknown_total_is_a_question_mark_and_never_0_or_100(cli, controller):
    controller.set("uploads", upload("77aa000000000001", "paths/x", itemsCompleted=5 * GIB))
    line = cli("get", "upload", "77aa", "--no-headers").stdout
    assert "5.00/? GiB" in line and " ? " in line and "100" not in line


def test_nothing_to_list_is_said_on_stderr_and_is_no_error(cli, run_dir):
    with FakeDaemon(run_dir / "controller.sock"):
        result = cli("get", "uploads")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "no uploads\n")


def test_control_characters_from_a_server_never_reach_the_terminal(cli, controller):
    evil = "a\x1b]0;owned\x07\x9b2J\u202eb\nc"
    controller.set("uploads", upload("66aa000000000001", evil, "Failed", err=evil, reason=evil))
    controller.answers[("GET", "/v1/backups/x")] = (400, error("bad_request", evil, evil))
    for args in (["get", "uploads"], ["get", "uploads", "-o", "wide"], ["get", "uploads", "-o", "json"],
                 ["get", "upload", "66aa", "-o", "yaml"], ["describe", "upload", "66aa"], ["get", "backup", "x"]):
        result = cli(*args)
        for stream in (result.stdout, result.stderr):
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", stream), (args, stream)


# Describing

def test_describe_shows_everything_on_one_screen(cli, controller):
    text = cli("describe", "upload", "nightly/persistentvolumeclaims/shop/data-0").stdout
    for word in ("3fa9000000000001", "Running, sending", "512/1024 MiB", "50.0%", "1.00 MiB/s", "node-a", "snap-1"):
        assert word in text
    text = cli("describe", "backup", "nightly").stdout
    for word in ("Uploading", "not restorable yet", "1/3 done, 1 running, 1 pending", "paths/srv"):
        assert word in text


# Naming uploads

def test_a_beginning_that_fits_two_uploads_is_refused_with_both(cli, controller):
    result = cli("describe", "upload", "5ba9")
    assert result.returncode == 1 and "5ba9000000000002, 5ba9000000000003" in result.stderr


@pytest.mark.parametrize("args,path", [
    (["3fa9"], "/v1/uploads/3fa9000000000001:cancel"),
    (["nightly/paths/srv"], "/v1/uploads/5ba9000000000002:cancel"),
    (["nightly"], "/v1/backups/nightly:cancel"),
])
def test_cancel_takes_ids_items_and_backups(cli, controller, args, path):
    controller.answers[("POST", path)] = (202, {})
    result = cli("cancel", *args, "--reason", "maintenance")
    assert result.returncode == 0, result.stderr
    assert controller.requests[-1] == ("POST", path, {"reason": "maintenance"})


def test_cancel_of_what_is_over_says_so_and_is_no_error(cli, controller):
    controller.answers[("POST", "/v1/uploads/3fa9000000000001:cancel")] = (200, {})
    result = cli("cancel", "3fa9")
    assert result.returncode == 0 and "already over" in result.stdout


# Changing backups

def test_create_sends_items_objects_and_who_asked(cli, controller, tmp_path):
    controller.answers[("POST", "/v1/backups")] = (201, backup("fresh", "InProgress"))
    objects = tmp_path / "pv.json"
    objects.write_text('{"kind":"List","items":[{"kind":"PersistentVolume"}]}')
    result = cli("backup", "create", "fresh", "--item", "paths/a,snapshot=s,volume=v,parts=2", "--item", "paths/b",
                 "-f", objects)
    assert result.returncode == 0 and "fresh created" in result.stdout
    assert controller.requests[-1][2] == {
        "metadata": {"name": "fresh"},
        "spec": {"items": [{"item": "paths/a", "snapshotID": "s", "volumeID": "v", "parts": 2}, {"item": "paths/b"}],
                 "objects": [{"kind": "PersistentVolume"}], "seal": "manual", "source": "cli"}}


def test_add_puts_the_item_percent_encoded(cli, controller):
    path = "/v1/backups/nightly/items/persistentvolumeclaims%2Fshop%2Fdata-1"
    controller.answers[("PUT", path)] = (201, {})
    result = cli("backup", "add", "nightly", "persistentvolumeclaims/shop/data-1", "--snapshot-id", "s", "--parts", "2")
    assert result.returncode == 0, result.stderr
    assert controller.requests[-1] == ("PUT", path, {"snapshotID": "s", "parts": 2})


def test_seal_and_delete(cli, controller):
    controller.answers[("POST", "/v1/backups/nightly:seal")] = (200, backup("nightly", "Uploading"))
    assert cli("backup", "seal", "nightly", "--outcome", "partial", "--allow-empty").returncode == 0
    assert controller.requests[-1][2] == {"outcome": "partial", "allowEmpty": True}
    controller.answers[("DELETE", "/v1/backups/nightly")] = (202, {})
    assert cli("backup", "delete", "nightly", "-q").stdout == ""


@pytest.mark.parametrize("status,code,exit_code", [
    (400, "bad_request", 1), (403, "forbidden", 77), (404, "not_found", 4), (409, "sealed", 1), (410, "gone", 4),
    (413, "too_large", 1), (429, "busy", 1), (500, "internal", 1), (503, "store_unavailable", 1),
])
def test_a_refusal_prints_the_servers_message_and_hint_and_exits_as_documented(cli, controller, status, code, exit_code):
    controller.answers[("POST", "/v1/backups/nightly:seal")] = (status, error(code, "it is so", "do that"))
    result = cli("backup", "seal", "nightly")
    assert result.returncode == exit_code and result.stdout == ""
    assert "it is so" in result.stderr and "hint: do that" in result.stderr


# Daemons that are not there, or not well

def test_without_a_socket_69_and_the_places_that_were_looked_at(cli):
    result = cli("get", "backups")
    assert result.returncode == 69 and "controller.sock" in result.stderr


def test_a_socket_without_a_daemon_is_69(cli, run_dir):
    with contextlib.suppress(OSError):
        with FakeDaemon(run_dir / "controller.sock") as daemon:
            stale = daemon.path + ".kept"
            os.link(daemon.path, stale)
    result = cli("--controller", stale, "get", "backups")
    assert result.returncode == 69 and "hint:" in result.stderr


def test_without_a_controller_the_agent_is_asked_and_stderr_says_so(cli, run_dir):
    with FakeDaemon(run_dir / "agent.sock") as agent:
        agent.set("uploads", RUNNING)
        result = cli("get", "uploads", "--no-headers")
        assert result.returncode == 0 and "3fa9000000000001" in result.stdout and "agent" in result.stderr
        assert cli("get", "uploads", "-q").stderr == ""
        assert cli("--agent", "get", "uploads").stderr == ""
        assert cli(f"--agent={agent.path}", "get", "uploads").returncode == 0
        assert cli("get", "backups").returncode == 69


def test_an_answer_that_does_not_come_is_124(cli, run_dir):
    import socket
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(run_dir / "controller.sock"))
    listener.listen()
    assert cli("get", "backups", "--timeout", "300ms").returncode == 124


def test_an_answer_that_is_no_json_is_told(cli, controller):
    controller.answers[("GET", "/v1/backups")] = (200, b"<html>")
    result = cli("get", "backups")
    assert result.returncode == 1 and "no valid JSON" in result.stderr


def test_healthcheck_tells_ready_from_not_ready(cli, controller, run_dir):
    controller.answers[("GET", "/readyz")] = (200, {})
    assert cli("healthcheck").returncode == 0
    assert cli("healthcheck", "controller", "-q").stdout == ""
    controller.answers[("GET", "/readyz")] = (503, {"reasons": ["the store is full"]})
    result = cli("healthcheck", "controller")
    assert result.returncode == 1 and "the store is full" in result.stderr
    assert cli("healthcheck", "agent").returncode == 69


def test_version_never_needs_a_daemon(cli, controller):
    assert cli("version").returncode == 0
    assert cli("--version").stdout.startswith("plimsoll ")
    controller.answers[("GET", "/version")] = (200, {"version": "9.9"})
    assert json.loads(cli("version", "-o", "json").stdout)["controllerVersion"] == "9.9"


def test_a_full_disk_behind_stdout_is_an_error(run_dir, controller):
    with open("/dev/full", "w") as full:
        result = subprocess.run([str(BIN), "get", "uploads"], stdout=full, stderr=subprocess.PIPE, text=True,
                                env=dict(os.environ, PLIMSOLL_RUN_DIR=str(run_dir)), timeout=WATCHDOG_SECONDS)
    assert result.returncode != 0 and "stdout" in result.stderr


# Waiting

@pytest.mark.parametrize("phase,exit_code", [
    ("Completed", 0), ("Failed", 1), ("FailedValidation", 1), ("PartiallyFailed", 3)])
def test_wait_ends_with_the_phases_exit_code(cli, controller, phase, exit_code):
    controller.set("backups", backup("nightly", phase))
    assert cli("backup", "wait", "nightly").returncode == exit_code


def start(run_dir, *args, **options):
    return subprocess.Popen([str(BIN), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, PLIMSOLL_RUN_DIR=str(run_dir), LC_ALL="C.UTF-8"), **options)


def until(condition, what):
    deadline = time.monotonic() + WATCHDOG_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_wait_follows_until_the_end(controller, run_dir):
    waiting = start(run_dir, "backup", "wait", "nightly")
    until(lambda: controller.watchers["backups"], "wait watches")
    controller.set("backups", backup("nightly", "UploadingPartialFailure"))
    controller.set("backups", backup("nightly", "PartiallyFailed"))
    out, err = waiting.communicate(timeout=WATCHDOG_SECONDS)
    assert waiting.returncode == 3 and "PartiallyFailed" in err and out == ""


@pytest.mark.parametrize("goal,exit_code", [("terminal", 5), ("completed", 5), ("deleted", 0)])
def test_wait_sees_a_deletion(controller, run_dir, goal, exit_code):
    waiting = start(run_dir, "backup", "wait", "nightly", "--for", goal)
    until(lambda: controller.watchers["backups"], "wait watches")
    controller.push("backups", "DELETED", controller.backups["nightly"])
    waiting.communicate(timeout=WATCHDOG_SECONDS)
    assert waiting.returncode == exit_code


def test_wait_takes_a_later_backup_of_the_same_name_for_another(controller, run_dir):
    waiting = start(run_dir, "backup", "wait", "nightly")
    until(lambda: controller.watchers["backups"], "wait watches")
    later = backup("nightly", "Completed")
    later["metadata"]["uid"] = "another"
    controller.set("backups", later)
    waiting.communicate(timeout=WATCHDOG_SECONDS)
    assert waiting.returncode == 5


def test_wait_lives_through_a_restart_of_the_controller(run_dir):
    with FakeDaemon(run_dir / "controller.sock") as first:
        first.set("backups", backup("nightly", "Uploading"))
        waiting = start(run_dir, "backup", "wait", "nightly")
        until(lambda: first.watchers["backups"], "wait watches")
    with FakeDaemon(run_dir / "controller.sock") as second:
        second.set("backups", backup("nightly", "Completed"))
        waiting.communicate(timeout=WATCHDOG_SECONDS)
    assert waiting.returncode == 0


def test_wait_on_nothing_is_4_on_a_tombstone_5_and_too_long_124(cli, controller):
    assert cli("backup", "wait", "nope").returncode == 4
    controller.answers[("GET", "/v1/backups/late")] = (410, error("gone", "it is gone", deletedAt="2026-12-01T15:00:00Z"))
    assert cli("backup", "wait", "late").returncode == 5
    assert cli("backup", "wait", "late", "--for", "deleted").returncode == 0
    assert cli("backup", "wait", "nightly", "--timeout", "200ms").returncode == 124


# Watching

def test_watch_in_a_pipe_tells_each_change_once_and_ends_when_done(controller, run_dir):
    watching = start(run_dir, "watch", "nightly", "--until", "done")
    until(lambda: controller.watchers["uploads"] and controller.watchers["backups"], "watch watches")
    controller.set("uploads", dict(RUNNING, status=dict(RUNNING["status"], itemsCompleted=GIB - 1)))
    ended = dict(RUNNING, status=dict(RUNNING["status"], state="Failed", completed=True, err="it broke"))
    controller.set("uploads", ended)
    controller.set("backups", backup("nightly", "PartiallyFailed", [ended, DONE]))
    out, err = watching.communicate(timeout=WATCHDOG_SECONDS)
    assert watching.returncode == 0, err
    lines = [line.split() for line in out.splitlines()]
    words = [line[1] for line in lines if line[2] in (RUNNING["spec"]["item"], "nightly") and line[1] != "SUMMARY"]
    assert words.count("RUNNING") == 1 and words.count("FAILED") == 1 and words.count("PHASE") == 2
    assert 'err="it broke"' in out and "\x1b" not in out
    assert all(re.fullmatch(r"\d\d:\d\d:\d\dZ", line[0]) for line in lines)


def test_watch_of_an_unknown_backup_is_4(cli, controller):
    assert cli("watch", "nope").returncode == 4


def test_watch_as_json_is_one_object_a_line(controller, run_dir):
    watching = start(run_dir, "watch", "weekly", "--until", "done", "-o", "json")
    out, _ = watching.communicate(timeout=WATCHDOG_SECONDS)
    assert {json.loads(line)["type"] for line in out.splitlines()} >= {"ADDED", "BOOKMARK"}


class Terminal:
    """A pseudo-terminal with a `watch` in it; keeps all that was written."""

    def __init__(self, run_dir, *args, columns=100, rows=30, term="xterm", command=None):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        env = dict(os.environ, PLIMSOLL_RUN_DIR=str(run_dir), LC_ALL="C.UTF-8", TERM=term)
        env.pop("NO_COLOR", None)
        command = command or [str(BIN), "watch", *args]
        self.process = subprocess.Popen(command, stdin=self.slave, stdout=self.slave,
                                        stderr=subprocess.PIPE, env=env, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        while select.select([self.master], [], [], seconds)[0]:
            self.output += os.read(self.master, 65536)
            seconds = 0.01
        return self.output

    def wait_for(self, text):
        until(lambda: text in self.read(), f"{text!r} in {self.output!r}")

    def end(self):
        def over():
            self.read()
            return self.process.poll() is not None
        until(over, "watch ends")
        self.read()
        restored = termios.tcgetattr(self.slave)
        os.close(self.master)
        os.close(self.slave)
        assert restored == self.before, "the terminal's settings are not restored"
        assert self.output.rfind(b"\x1b[?25h") >= self.output.rfind(b"\x1b[?25l"), "the cursor stays hidden"
        assert self.output.rfind(b"\x1b[?1049l") >= self.output.rfind(b"\x1b[?1049h"), "alternate screen"
        return self.process.returncode


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_watch_and_the_terminal_is_restored(controller, run_dir, sig):
    terminal = Terminal(run_dir)
    terminal.wait_for(b"shop/data-0")
    terminal.process.send_signal(sig)
    assert terminal.end() == 128 + sig


def test_the_key_q_ends_watch_and_the_last_frame_stays_on_the_screen(controller, run_dir):
    terminal = Terminal(run_dir)
    terminal.wait_for(b"shop/data-0")
    os.write(terminal.master, b"q")
    assert terminal.end() == 0
    assert b"shop/data-0" in terminal.output[terminal.output.rfind(b"\x1b[?1049l"):]


# A shell with job control: the job in the foreground, stopped, and continued once `go` is there.
JOB_SHELL = """
import os, signal, sys, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[2], [sys.argv[2], "watch"])
_, status = os.waitpid(job, os.WUNTRACED)
assert os.WIFSTOPPED(status)
os.tcsetpgrp(0, os.getpgrp())
os.write(1, b"STOPPED")
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
os.tcsetpgrp(0, job)
os.kill(job, signal.SIGCONT)
_, status = os.waitpid(job, 0)
os.tcsetpgrp(0, os.getpgrp())
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_control_z_gives_the_terminal_back_and_fg_takes_it_again(controller, run_dir):
    go = run_dir / "go"
    terminal = Terminal(run_dir, command=[sys.executable, "-c", JOB_SHELL, str(go), str(BIN)])
    terminal.wait_for(b"q quit")
    os.write(terminal.master, b"\x1a")
    terminal.wait_for(b"STOPPED")
    stopped = terminal.output[:terminal.output.index(b"STOPPED")]
    assert stopped.endswith(b"\x1b[?1049l\x1b[?25h")
    assert termios.tcgetattr(terminal.slave) == terminal.before
    terminal.output = b""
    go.touch()
    terminal.wait_for(b"q quit")
    assert b"\x1b[?1049h" in terminal.output and termios.tcgetattr(terminal.slave) != terminal.before
    os.write(terminal.master, b"q")
    assert terminal.end() == 0


@pytest.mark.parametrize("columns", [100, 80, 60, 40])
def test_a_resize_is_followed_and_nothing_wraps(controller, run_dir, columns):
    terminal = Terminal(run_dir, columns=120)
    terminal.wait_for(b"q quit")
    terminal.output = b""
    terminal.resize(columns, 24)
    terminal.process.send_signal(signal.SIGWINCH)
    terminal.wait_for(b"q quit")
    rows = re.split(rb"\x1b\[\d+;1H", terminal.output)
    for row in rows:
        text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", row).decode()
        assert len(text) <= columns, text
    terminal.process.send_signal(signal.SIGTERM)
    terminal.end()


def test_at_most_four_redraws_a_second_and_only_changed_cells(controller, run_dir):
    terminal = Terminal(run_dir)
    terminal.wait_for(b"q quit")
    terminal.output = b""
    began = time.monotonic()
    for step in range(200):
        controller.set("uploads", dict(RUNNING, status=dict(RUNNING["status"], itemsCompleted=step << 20)))
        terminal.read(0.01)
    elapsed = time.monotonic() - began
    assert terminal.output.count(b"\x1b[?2026h") <= elapsed * 4 + 2
    assert len(terminal.output) < 2048 * (elapsed + 1)
    terminal.process.send_signal(signal.SIGTERM)
    terminal.end()


def test_a_dumb_terminal_gets_plain_lines(controller, run_dir):
    terminal = Terminal(run_dir, "--until", "done", "weekly", term="dumb")
    terminal.wait_for(b"PHASE")
    assert terminal.end() == 0 and b"\x1b" not in terminal.output


def test_a_lost_controller_is_shown_and_found_again(run_dir):
    with FakeDaemon(run_dir / "controller.sock") as first:
        first.set("uploads", RUNNING)
        first.set("backups", backup("nightly", "Uploading", [RUNNING]))
        terminal = Terminal(run_dir)
        terminal.wait_for(b"live")
    terminal.wait_for(b"not answering")
    with FakeDaemon(run_dir / "controller.sock") as second:
        second.set("uploads", RUNNING)
        second.set("backups", backup("nightly", "Uploading", [RUNNING]))
        terminal.output = b""
        terminal.wait_for(b"live")
        terminal.process.send_signal(signal.SIGINT)
        terminal.end()


# Colour

def test_colour_obeys_flag_and_environment(cli, controller):
    assert "\x1b" not in cli("get", "backups").stdout
    assert "\x1b" in cli("get", "backups", "--color", "always").stdout
    assert "\x1b" in cli("get", "backups", env={"CLICOLOR_FORCE": "1"}).stdout
    assert "\x1b" not in cli("get", "backups", "--color", "never", env={"CLICOLOR_FORCE": "1"}).stdout
    full = dict(os.environ, PLIMSOLL_RUN_DIR=str(pathlib.Path(controller.path).parent), NO_COLOR="1", CLICOLOR_FORCE="1")
    result = subprocess.run([str(BIN), "get", "backups"], capture_output=True, text=True, env=full,
                            timeout=WATCHDOG_SECONDS)
    assert "\x1b" not in result.stdout
