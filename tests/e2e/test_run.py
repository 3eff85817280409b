# test_run.py - `plimsoll run` with the real wrapper and the real restic, before any daemon is asked:
# to the tool and to whoever called us it must be as if the wrapper were not there.
import errno
import os
import pty
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PLIMSOLL_BIN", REPOSITORY / "build/release/bin"))
PLIMSOLL = str(BIN / "plimsoll")
WATCHDOG_S = 60  # of every wait: nothing here takes a tenth of it

CANCEL_OFFSET = 0x180    # docs/formats: the agent's one byte
TERMINAL = slice(0xC00, 0x1000)


def wait_for(what, condition):
    """Waits until condition() is true, with a watchdog; answers its value."""
    end = time.monotonic() + WATCHDOG_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        select.select([], [], [], 0.02)
    pytest.fail(f"watchdog: {what} has not come")


class Place:
    """A run directory of its own, with what a mover finds there, and no daemon."""

    def __init__(self, root):
        self.root = root
        self.run = root / "run"
        self.run.mkdir()
        self.environment = {**os.environ, "PLIMSOLL_RUN_DIR": str(self.run)}
        self.environment.pop("PLIMSOLL_DISABLE", None)

    def command(self, *words):
        return [PLIMSOLL, "-q", "run", *words]

    def call(self, *words, **options):
        options.setdefault("timeout", WATCHDOG_S)
        return subprocess.run(self.command(*words), env=self.environment, capture_output=True, **options)

    def start(self, *words, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(self.command(*words), env=self.environment, **options)

    def segments(self):
        return sorted((self.run / "segments").glob("*.seg"))

    def segment(self):
        return wait_for("a segment", lambda: self.segments() or None)[0]

    def terminal(self):
        return self.segment().read_bytes()[TERMINAL]

    def ask_cancel(self):
        with open(self.segment(), "r+b", buffering=0) as file:
            file.seek(CANCEL_OFFSET)
            file.write(b"\x01")


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


class Restic:
    def __init__(self, root, fresh_repository):
        self.repository = root / "repo"
        self.source = root / "src"
        shutil.copytree(fresh_repository, self.repository)
        self.source.mkdir()
        for number in range(8):
            (self.source / f"file{number}").write_bytes(os.urandom(2 << 20))
        self.environment = {
            "RESTIC_REPOSITORY": str(self.repository),
            "RESTIC_PASSWORD": "secret",
            "RESTIC_CACHE_DIR": str(root / "cache"),
        }

    def backup(self, *flags):
        return ["restic", "backup", "--json", *flags, str(self.source)]


@pytest.fixture(scope="module")
def fresh_repository(tmp_path_factory):
    path = tmp_path_factory.mktemp("fresh") / "repo"  # made once: its key costs restic seconds
    subprocess.run(["restic", "init", "-q"], check=True, timeout=WATCHDOG_S,
                   env={**os.environ, "RESTIC_REPOSITORY": str(path), "RESTIC_PASSWORD": "secret"})
    return path


@pytest.fixture
def restic(place, tmp_path, fresh_repository):
    made = Restic(tmp_path, fresh_repository)
    place.environment.update(made.environment)
    return made


def script(tmp_path, text, name="tool"):
    path = tmp_path / name
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)
    return str(path)


def living_members(group):
    """Processes of a group that still run; a zombie only waits for its reaper."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # gone meanwhile
        if int(fields[2]) == group and fields[0] != "Z":
            members.append(stat.parent.name)
    return members


def obeys(name, status):
    """A tool that waits for a signal, says so and exits with `status`."""
    return ["/usr/bin/python3", "-c",
            "import os, signal\n"
            f"signal.signal(signal.{name}, lambda *_: (os.write(1, b'got {name}\\n'), os._exit({status})))\n"
            "os.write(1, b'ready\\n')\n"
            "while True: signal.pause()\n"]


# ---- bytes


def test_restics_output_passes_byte_for_byte(place, restic, tmp_path):
    # A program named restic that keeps its own copy of what the real one wrote.
    tool = script(tmp_path, 'set -o pipefail\n'
                  f'/usr/bin/restic "$@" 2> >(tee {tmp_path}/err >&2) | tee {tmp_path}/out\n', "restic")
    done = place.call("--", tool, *restic.backup()[1:])
    assert done.returncode == 0
    assert done.stdout == (tmp_path / "out").read_bytes()
    assert done.stderr == (tmp_path / "err").read_bytes()
    assert b'"summary"' in done.stdout
    assert done.stdout.split(b'"snapshot_id":"')[1][:8] in place.terminal()


def test_any_bytes_pass_in_both_streams(place, tmp_path):
    noise = os.urandom(3 << 20)
    (tmp_path / "noise").write_bytes(noise)
    tool = script(tmp_path, f"cat {tmp_path}/noise & cat {tmp_path}/noise >&2; wait\n")
    done = place.call("--tool", "percent:([0-9]+)%", "--", tool)
    assert done.returncode == 0
    assert done.stdout == noise
    assert done.stderr == noise


def test_order_is_kept_where_both_streams_are_one_file(place, tmp_path):
    tool = script(tmp_path, "for n in {1..300}; do echo out $n; echo err $n >&2; done\n")
    done = place.call("--tool", "percent:([0-9]+)%", "--", tool)
    merged = subprocess.run(place.command("--tool", "percent:([0-9]+)%", "--", tool),
                            env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=WATCHDOG_S)
    assert done.returncode == merged.returncode == 0
    assert merged.stdout.decode().split("\n")[:-1] == [
        f"{stream} {n}" for n in range(1, 301) for stream in ("out", "err")]


def test_stdin_is_the_tools_own(place):
    done = place.call("--tool", "percent:([0-9]+)%", "--", "cat", input=b"a\0b" * 100000)
    assert done.stdout == b"a\0b" * 100000


def test_the_environment_is_the_tools_own(place):
    through = place.call("--", "env", "-0")
    plain = subprocess.run(["env", "-0"], env=place.environment, capture_output=True, timeout=WATCHDOG_S)
    assert sorted(through.stdout.split(b"\0")) == sorted(plain.stdout.split(b"\0"))


def test_a_closed_stdout_stays_closed(place, tmp_path):
    tool = script(tmp_path, f"echo x; echo $? > {tmp_path}/status; [ -e /proc/self/fd/1 ]; exit $?\n")
    done = subprocess.run(["bash", "-c", 'exec "$@" >&-', "bash", *place.command("--", tool)],
                          env=place.environment, stderr=subprocess.DEVNULL, timeout=WATCHDOG_S)
    assert (tmp_path / "status").read_text() == "1\n"
    assert done.returncode == 1


def test_a_reader_that_leaves_ends_the_tool_with_sigpipe(place):
    words = place.command("--tool", "percent:([0-9]+)%", "--", "yes")
    done = subprocess.run(["bash", "-c", '"$@" | head -n 1; echo ${PIPESTATUS[0]}', "bash", *words],
                          env=place.environment, capture_output=True, timeout=WATCHDOG_S)
    assert done.stdout == b"y\n141\n"


def test_a_process_left_behind_with_the_pipe_does_not_hold_us(place, tmp_path):
    tool = script(tmp_path, f"sleep 1000 & echo $! > {tmp_path}/pid; echo last words\n")
    try:
        done = place.call("--tool", "percent:([0-9]+)%", "--", tool)
        assert done.stdout == b"last words\n"
        assert done.returncode == 0
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


# ---- how it ends


@pytest.mark.parametrize("code", [0, 1, 3, 130])
def test_exit_statuses_pass_through(place, code):
    assert place.call("--", "sh", "-c", f"exit {code}").returncode == code


def test_restic_exit_3_is_incomplete_and_keeps_its_snapshot(place, restic):
    (restic.source / "file3").chmod(0)
    drop = []
    if os.geteuid() == 0:
        drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search",
                "--inh-caps=-dac_override,-dac_read_search"]
    done = subprocess.run(drop + place.command("--", *restic.backup()), env=place.environment,
                          capture_output=True, timeout=WATCHDOG_S)
    assert done.returncode == 3
    snapshot = done.stdout.split(b'"snapshot_id":"')[1][:8]
    assert b"incomplete: " in place.terminal()
    assert snapshot in place.terminal()


def test_restic_exit_1_is_failed_with_its_own_words(place, restic):
    place.environment["RESTIC_PASSWORD"] = "wrong"
    done = place.call("--", *restic.backup())
    assert done.returncode == 1
    assert b"wrong password" in done.stderr
    assert b"wrong password" in place.terminal()


def test_sigint_passed_on_ends_restic_with_130_and_canceled(place, restic):
    running = place.start("--", *restic.backup("--limit-upload", "500"))
    running.stdout.readline()  # it has begun
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=WATCHDOG_S)
    assert running.returncode == 130
    assert b"canceled" in place.terminal()


def test_a_tool_killed_by_a_signal_takes_the_wrapper_with_it(place, restic):
    running = place.start("--", *restic.backup("--limit-upload", "500"))
    running.stdout.readline()
    tool = int(Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0])
    os.kill(tool, signal.SIGKILL)
    running.communicate(timeout=WATCHDOG_S)
    assert running.returncode == -signal.SIGKILL  # 137 to a shell
    assert b"killed by signal 9 (SIGKILL)" in place.terminal()


def test_a_shell_sees_137(place):
    words = place.command("--", "sh", "-c", "kill -9 $$")
    done = subprocess.run(["bash", "-c", '"$@"; exit $?', "bash", *words], env=place.environment,
                          stderr=subprocess.DEVNULL, timeout=WATCHDOG_S)
    assert done.returncode == 137


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGWINCH", "SIGCONT"])
def test_signals_are_passed_to_the_tool(place, name):
    running = place.start("--", *obeys(name, 9))
    assert running.stdout.readline() == b"ready\n"
    running.send_signal(getattr(signal, name))
    out, _ = running.communicate(timeout=WATCHDOG_S)
    assert out == f"got {name}\n".encode()
    assert running.returncode == 9


def test_a_signal_that_was_ignored_stays_ignored(place, tmp_path):
    tool = script(tmp_path, "echo ready; read line; exit 4\n")
    running = place.start("--", tool, stdin=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert running.stdout.readline() == b"ready\n"
    ignored = int(Path(f"/proc/{running.pid}/status").read_text().split("SigIgn:\t")[1].split()[0], 16)
    assert ignored & 1
    running.send_signal(signal.SIGHUP)
    running.communicate(b"on\n", timeout=WATCHDOG_S)
    assert running.returncode == 4


def test_a_command_that_is_not_there_is_127_and_one_that_may_not_run_126(place, tmp_path):
    assert place.call("--", "no-such-command-anywhere").returncode == 127
    (tmp_path / "plain").write_text("text")
    assert place.call("--", str(tmp_path / "plain")).returncode == 126


@pytest.mark.parametrize("flags", [
    ["--tool", "percent:("], ["--tool", "nosuchtool"], ["--backup", "Not A Name"],
    ["--item", "no-slash"], ["--total", "/no/such/file"], ["--label", "novalue"], ["--pty", "always"]])
def test_usage_errors_are_2_before_the_tool_starts(place, tmp_path, flags):
    done = place.call(*flags, "--", "touch", str(tmp_path / "started"))
    assert done.returncode == 2
    assert done.stderr
    assert not (tmp_path / "started").exists()


# ---- whatever is wrong with us, the tool runs


def test_without_a_run_directory_the_tool_runs_and_one_line_says_so(place, restic):
    shutil.rmtree(place.run)
    done = subprocess.run([PLIMSOLL, "run", "--", *restic.backup()], env=place.environment,
                          capture_output=True, timeout=WATCHDOG_S)
    assert done.returncode == 0
    assert b'"summary"' in done.stdout
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("plimsoll run: ")


def test_a_directory_that_nobody_may_write_to_does_not_stop_the_tool(place):
    (place.run / "segments").mkdir()
    place.run.chmod(0o755)
    if os.geteuid() == 0:
        (place.run / "segments").rmdir()
        (place.run / "segments").write_text("a file in its place")
    else:
        (place.run / "segments").chmod(0o555)
    done = place.call("--", "echo", "fine")
    assert (done.returncode, done.stdout) == (0, b"fine\n")


def test_a_full_tmpfs_does_not_stop_the_tool(place, restic):
    segments = place.run / "segments"
    segments.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(segments)],
                             capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"MOUNT NOT PERMITTED, a full tmpfs was not tried: {mounted.stderr.decode()}")
    try:
        with open(segments / "filler", "wb", buffering=0) as filler, pytest.raises(OSError) as full:
            while True:
                filler.write(b"x" * 4096)
        assert full.value.errno == errno.ENOSPC
        done = subprocess.run([PLIMSOLL, "run", "--", *restic.backup()], env=place.environment,
                              capture_output=True, timeout=WATCHDOG_S)
        assert done.returncode == 0
        assert b'"summary"' in done.stdout
        assert b"no space" in done.stderr.lower() or b"space" in done.stderr.lower()
        assert not place.segments()
    finally:
        subprocess.run(["umount", str(segments)], check=True)


def test_switched_off_it_only_runs_the_tool(place):
    place.environment["PLIMSOLL_DISABLE"] = "1"
    assert place.call("--", "echo", "fine").stdout == b"fine\n"
    assert not (place.run / "segments").exists()


# ---- cancel


STUBBORN = "trap '' INT TERM\necho ready\nsleep 1000 &\nwhile :; do wait; done\n"


def test_the_cancel_ladder_ends_a_tool_that_ignores_int_and_term_and_its_children(place, tmp_path):
    tool = script(tmp_path, STUBBORN)
    running = place.start("--grace", "300ms", "--", tool)
    assert running.stdout.readline() == b"ready\n"
    group = int(Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0])
    place.ask_cancel()
    running.communicate(timeout=WATCHDOG_S)
    assert running.returncode == -signal.SIGKILL
    assert not living_members(group)
    assert b"canceled" in place.terminal()


def test_a_cancel_ends_restic_by_sigint(place, restic):
    running = place.start("--", *restic.backup("--limit-upload", "500"))
    running.stdout.readline()
    place.ask_cancel()
    running.communicate(timeout=WATCHDOG_S)
    assert running.returncode == 130
    assert b"canceled" in place.terminal()


def test_a_tool_that_succeeds_in_spite_of_a_cancel_is_durable(place):
    running = place.start("--", *obeys("SIGINT", 0))
    assert running.stdout.readline() == b"ready\n"
    place.ask_cancel()
    running.communicate(timeout=WATCHDOG_S)
    assert running.returncode == 0
    assert b"canceled" not in place.terminal()


# ---- a person at a terminal


class Person:
    """Sits at a terminal of its own; what runs there is its foreground job."""

    def __init__(self, command, environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        self.seen = b""

    def reads(self, text):
        wait_for(repr(text), lambda: self._read() or text in self.seen)
        self.seen = self.seen.split(text, 1)[1]

    def _read(self):
        ready, _, _ = select.select([self.terminal], [], [], 0)
        if ready:
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError:
                pass
        return False

    def types(self, text):
        os.write(self.terminal, text)

    def ends(self):
        def reaped():
            self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return (status,) if pid else None
        status = wait_for("the end of the session", reaped)[0]
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def asked_restic(place, restic):
    del place.environment["RESTIC_PASSWORD"]
    return restic


def test_a_person_is_asked_for_a_password_and_answers(place, asked_restic):
    person = Person(place.command("--", *asked_restic.backup()), place.environment)
    person.reads(b"enter password for repository: ")
    person.types(b"secret\n")
    person.reads(b'"summary"')
    assert person.ends() == 0


def shell_job(place, words):
    shell = Person(["bash", "--norc", "--noprofile", "-i"], {**place.environment, "PS1": "PROMPT> "})
    shell.reads(b"PROMPT> ")
    shell.types(" ".join(place.command("--", *words)).encode() + b"\n")
    return shell


def test_a_job_is_stopped_and_brought_back_as_without_us(place, asked_restic):
    shell = shell_job(place, asked_restic.backup())
    shell.reads(b"enter password for repository: ")
    shell.types(b"\x1a")
    shell.reads(b"Stopped")
    shell.reads(b"PROMPT> ")
    shell.types(b"fg\n")
    shell.reads(b"restic")
    shell.types(b"secret\n")
    shell.reads(b'"summary"')
    shell.reads(b"PROMPT> ")
    shell.types(b"exit\n")
    assert shell.ends() == 0


def test_a_background_job_that_reads_the_terminal_stops_until_it_gets_it(place, asked_restic):
    shell = shell_job(place, [*asked_restic.backup(), "&"])
    shell.reads(b"PROMPT> ")
    shell.types(b"wait\n")
    shell.reads(b"PROMPT> ")  # `wait` returns because the job is stopped
    shell.types(b"fg\n")
    shell.reads(b"restic")
    shell.types(b"secret\n")
    shell.reads(b'"summary"')
    shell.types(b"exit\n")
    assert shell.ends() == 0


def test_control_c_at_the_terminal_ends_restic_with_130(place, restic):
    shell = shell_job(place, restic.backup("--limit-upload", "500"))
    shell.reads(b'"status"')
    shell.types(b"\x03")
    shell.reads(b"PROMPT> ")
    shell.types(b"echo status $?\n")
    shell.reads(b"status 130")
    shell.types(b"exit\n")
    shell.ends()
    assert b"canceled" in place.terminal()
