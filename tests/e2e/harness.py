"""A fresh Plimsoll for one test: daemons in a run directory of their own, the real command line, a real restic.

Nothing here knows a result: every answer comes from the command line or from the daemons' sockets.
"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PLIMSOLL_BIN", ROOT / "build/release/bin"))
TESTS_BIN = BIN.parent / "tests"
WATCHDOG_SECONDS = 60


def wait_until(condition, what, seconds=WATCHDOG_SECONDS, every=0.02):
    """The first true value of condition(); fails with `what` when the watchdog barks."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(every)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=10):
        super().__init__("plimsoll", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(sock, method, path, body=None):
    """(status, decoded JSON or text) of one request on a Unix socket."""
    connection = UnixConnection(sock)
    payload = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a refusal may come before all was sent
        connection.request(method, path, payload)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    with contextlib.suppress(ValueError):
        return reply.status, json.loads(text)
    return reply.status, text


class House:
    """Controller and agent of one node."""

    def __init__(self, agent_yaml="", controller_yaml="", parent=None):
        base = parent or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="plimsoll-", dir=base))
        self.home.chmod(0o755)
        self.run, self.state = self.home / "run", self.home / "state"
        self.configs = {"agent": agent_yaml, "controller": controller_yaml}
        self.daemons, self.children, self.runs = {}, [], 0
        self.env = dict(os.environ, PLIMSOLL_RUN_DIR=str(self.run), PLIMSOLL_STATE_DIR=str(self.state),
                        NO_COLOR="1", PATH=f"{BIN}:{os.environ['PATH']}")

    def start(self, name):
        command = [str(BIN / f"plimsoll-{name}")]
        if self.configs[name]:
            config = self.home / f"{name}.yaml"
            config.write_text(self.configs[name])
            config.chmod(0o600)
            command += ["--config", str(config)]
        log = open(self.home / f"{name}.log", "ab")
        process = subprocess.Popen(command, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        log.close()
        self.daemons[name] = process
        wait_until(lambda: self.ready(name) or self._dead(name), f"{name} ready\n{self.log(name)}")
        return process

    def _dead(self, name):
        process = self.daemons[name]
        if process.poll() is not None:
            raise AssertionError(f"{name} exited {process.returncode}: {self.log(name)}")
        return False

    def ready(self, name):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return call(self.sock(name), "GET", "/readyz")[0] == 200
        return False

    def start_all(self):
        self.start("controller")
        self.start("agent")
        wait_until(lambda: self.nodes(), "the agent in the controller's list of nodes")
        return self

    def kill(self, name, sig=signal.SIGKILL):
        process = self.daemons.pop(name)
        process.send_signal(sig)
        return process.wait(WATCHDOG_SECONDS)

    def sock(self, name):
        return self.run / f"{name}.sock"

    def log(self, name):
        path = self.home / f"{name}.log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def get(self, path, name="controller"):
        return call(self.sock(name), "GET", path)

    def nodes(self):
        with contextlib.suppress(OSError):
            status, body = self.get("/v1/nodes")
            return body["items"] if status == 200 else None

    def backup(self, name):
        """The Backup as GET answers it, or None."""
        status, body = self.get(f"/v1/backups/{name}")
        return body if status == 200 else None

    def phase(self, name):
        backup = self.backup(name)
        return backup and backup["status"]["phase"]

    def progress(self, backup, item):
        """The status of one item's upload, or None."""
        found = self.backup(backup)
        return found and found["status"]["uploadProgress"].get(item)

    def agent_upload(self, backup, item=None):
        """The upload as the agent itself shows it, or None."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, body = self.get("/v1/uploads", "agent")
            for upload in body["items"] if status == 200 else []:
                if upload["spec"]["backup"] == backup and item in (None, upload["spec"]["item"]):
                    return upload
        return None

    def cli(self, *args, **options):
        return subprocess.run([str(BIN / "plimsoll"), *map(str, args)], capture_output=True, text=True,
                              env=self.env, timeout=WATCHDOG_SECONDS, stdin=subprocess.DEVNULL, **options)

    def ok(self, *args):
        done = self.cli(*args)
        assert done.returncode == 0, f"plimsoll {args}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def wrap(self, *args, env=None, to_files=False):
        """`plimsoll run …` in the background; its output in pipes, or in files that process.printed() reads.

        Files for what prints a lot: a pipe that nobody reads stops the tool, with or without the wrapper.
        """
        self.runs += 1
        out, err = (self.home / f"run-{self.runs}.{name}" for name in ("out", "err"))
        with contextlib.ExitStack() as files:
            streams = [files.enter_context(open(path, "wb")) if to_files else subprocess.PIPE for path in (out, err)]
            process = subprocess.Popen([str(BIN / "plimsoll"), "run", *map(str, args)], stdin=subprocess.DEVNULL,
                                       stdout=streams[0], stderr=streams[1], env={**self.env, **(env or {})})
        process.printed = lambda: (out.read_text(errors="replace"), err.read_text(errors="replace"))
        self.children.append(process)
        return process

    def close(self):
        for process in self.children + list(self.daemons.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(15)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()
        shutil.rmtree(self.home, ignore_errors=True)


class Restic:
    """A fresh repository and a source of random files."""

    def __init__(self, home, name="data", mebibytes=64, files=8):
        self.home = pathlib.Path(home) / f"restic-{name}"
        self.source, self.repo = self.home / "source", self.home / "repo"
        self.source.mkdir(parents=True)
        self.env = {"RESTIC_PASSWORD": "correct horse", "RESTIC_REPOSITORY": str(self.repo),
                    "RESTIC_CACHE_DIR": str(self.home / "cache")}
        size = mebibytes * (1 << 20) // files
        for number in range(files):
            with open(self.source / f"volume-{number:02}.bin", "wb") as file:
                left = size
                while left:
                    piece = min(left, 4 << 20)
                    file.write(os.urandom(piece))
                    left -= piece
        self.restic("init", "-q")

    def restic(self, *args, check=True):
        return subprocess.run(["restic", *args], env={**os.environ, **self.env}, capture_output=True,
                              text=True, check=check, stdin=subprocess.DEVNULL)

    def backup_command(self, limit_kib=None, *more):
        limit = ["--limit-upload", str(limit_kib)] if limit_kib else []
        return ["restic", "backup", "--json", *limit, *more, str(self.source)]

    def snapshots(self):
        return json.loads(self.restic("snapshots", "--json").stdout or "[]") or []


def summary_of(output):
    """restic's own summary record in what it printed, or None."""
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict) and record.get("message_type") == "summary":
                return record
    return None


def processes_with(text):
    """pids of live processes whose command line contains `text`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if text in command and state != "Z" and int(entry.name) != os.getpid():
                    found.append(int(entry.name))
    return found
