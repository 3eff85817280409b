"""The story of the main road, told once: the end-to-end tests run it small, the demo runs it large and aloud.

Each scenario does something, waits for a condition, and asserts what it saw. `tell` narrates; `show` may display the
live view for a while. Both may do nothing.
"""
import contextlib
import http.client
import os
import pathlib
import signal
import time

from harness import call, processes_with, summary_of, wait_until

DATA, LOGS = "persistentvolumeclaims/shop/data-0", "persistentvolumeclaims/shop/logs-0"


def quiet(*_):
    """Neither tells nor shows."""


def cpu_seconds(pid):
    """User and system time of one process, without its children; None when it is gone."""
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return None


def child_of(pid):
    """The first child of a process, or None."""
    with contextlib.suppress(OSError):
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else None
    return None


def start_upload(house, restic, backup, item, limit_kib, *flags):
    process = house.wrap("--backup", backup, "--item", item, *flags, "--",
                         *restic.backup_command(limit_kib), env=restic.env, to_files=True)
    return process


def moving(house, backup, item):
    """The upload's status once bytes have been seen, else None."""
    status = house.progress(backup, item)
    return status if status and status["state"] == "Running" and status["itemsCompleted"] > 0 else None


def wait_moving(house, backup, item):
    return wait_until(lambda: moving(house, backup, item), f"{item} of {backup} is Running")


class CpuWatch:
    """The last CPU figures seen of wrapper and tool; sampled while the story goes on."""

    def __init__(self, wrapper):
        self.wrapper, self.tool = wrapper.pid, wait_until(lambda: child_of(wrapper.pid), "the tool started")
        self.seen = (0.0, 0.0)

    def sample(self):
        pair = cpu_seconds(self.wrapper), cpu_seconds(self.tool)
        if None not in pair:
            self.seen = pair

    def share(self):
        return self.seen[0] / max(self.seen[1], 0.01)


def nightly(house, big, small, limits_kib, tell=quiet, show=quiet):
    """Two uploads of one backup; agent and controller are killed in between; Completed only when both are durable."""
    house.ok("backup", "create", "nightly")
    uploads = {DATA: start_upload(house, big, "nightly", DATA, limits_kib[0], "--snapshot-id", "snap-1"),
               LOGS: start_upload(house, small, "nightly", LOGS, limits_kib[1], "--snapshot-id", "snap-2")}
    for item in uploads:
        wait_moving(house, "nightly", item)
    cpu = CpuWatch(uploads[DATA])
    tell("two real restic backups are moving; each reports through shared memory")
    assert house.phase("nightly") == "InProgress"
    show(6)
    found_in = kill_agent(house, uploads, tell)
    show(4)
    back_in = kill_controller(house, uploads, tell)
    assert all(process.poll() is None for process in uploads.values()), "restic was disturbed"
    tell("both restics run on undisturbed")
    house.ok("backup", "seal", "nightly")
    assert house.phase("nightly") == "Uploading"
    tell("sealed: the backup is Uploading, and not restorable yet")
    show(4)
    wait_completed(house, uploads, cpu)
    tell("Completed, and not a moment before both uploads were durable")
    figures = {"agent found everything after": found_in, "controller knew everything after": back_in,
               "wrapper's CPU / restic's": cpu.share()}
    return {**figures, **compare_with_summaries(house, uploads, {DATA: big, LOGS: small}, tell)}


def kill_agent(house, uploads, tell):
    before = {item: house.progress("nightly", item) for item in uploads}
    house.kill("agent")
    tell("kill -9 of the agent")
    wait_until(lambda: house.progress("nightly", DATA)["freshness"]["state"] != "live",
               "the controller says that its knowledge is old")
    assert house.progress("nightly", DATA)["state"] == "Running", "old knowledge changed a state"
    tell("the controller says `late`; the upload's state is left alone")
    begun = time.monotonic()
    house.start("agent")
    wait_until(lambda: all(house.agent_upload("nightly", item) for item in uploads), "the agent found both")
    found_in = time.monotonic() - begun
    for item in uploads:
        wait_until(lambda: house.progress("nightly", item)["freshness"]["state"] == "live", f"{item} live again")
        after = house.progress("nightly", item)
        assert after["itemsCompleted"] >= before[item]["itemsCompleted"], "a count fell"
        assert after["segment"] == before[item]["segment"] and after["attempts"] == 1
    tell(f"a new agent found both uploads in {found_in:.2f} s, same attempts, counts went on")
    return found_in


def kill_controller(house, uploads, tell):
    before = house.backup("nightly")
    house.kill("controller")
    tell("kill -9 of the controller")
    assert house.cli("get", "backups").returncode in (0, 69)
    begun = time.monotonic()
    house.start("controller")
    wait_until(lambda: all(moving(house, "nightly", item) for item in uploads)
               and all(house.progress("nightly", item)["freshness"]["state"] == "live" for item in uploads),
               "the controller knows both again")
    back_in = time.monotonic() - begun
    after = house.backup("nightly")
    assert after["metadata"] == before["metadata"] and after["status"]["phase"] == "InProgress"
    for item in uploads:
        old, new = (b["status"]["uploadProgress"][item] for b in (before, after))
        assert new["itemsCompleted"] >= old["itemsCompleted"], "a count fell"
    tell(f"a new controller had everything from its store, and live numbers after {back_in:.2f} s")
    return back_in


def wait_completed(house, uploads, cpu):
    """Polls until Completed; whenever it says Completed, every upload must be durable by its own proof."""

    def look():
        cpu.sample()
        backup = house.backup("nightly")
        outcomes = {s["outcome"] for s in backup["status"]["uploadProgress"].values()}
        phase = backup["status"]["phase"]
        assert phase in ("Uploading", "Completed"), phase
        assert (phase == "Completed") == (outcomes == {"durable"}), (phase, outcomes)
        return phase == "Completed"

    wait_until(look, "nightly is Completed", seconds=180, every=0.05)
    assert house.cli("backup", "wait", "nightly").returncode == 0


def compare_with_summaries(house, uploads, sources, tell):
    total = 0
    for item, process in uploads.items():
        code = process.wait(60)
        output, errors = process.printed()
        assert code == 0, errors
        summary = summary_of(output)
        status = house.progress("nightly", item)
        assert status["itemsCompleted"] == status["itemsToComplete"] == summary["total_bytes_processed"]
        assert sources[item].snapshots()[-1]["id"].startswith(status["storedAs"][:8])
        total += status["itemsCompleted"]
    tell(f"{total} bytes: exactly what restic's own summaries say; both snapshots are in their repositories")
    return {"bytes durable": total}


def deleted(house, restic, limit_kib, tell=quiet, show=quiet):
    """A backup deleted while its upload runs: Deleting, the tool really stopped, then gone."""
    house.ok("backup", "create", "doomed")
    process = start_upload(house, restic, "doomed", DATA, limit_kib)
    wait_moving(house, "doomed", DATA)
    show(2)
    assert processes_with(str(restic.source))
    house.ok("backup", "delete", "doomed")
    seen = wait_until(lambda: house.get("/v1/backups/doomed"), "an answer")
    assert seen[0] in (404, 410) or seen[1]["status"]["phase"] == "Deleting", seen
    tell("deleted while uploading: Deleting; restic is asked to stop")
    wait_until(lambda: process.poll() is not None, "the wrapper ended")
    wait_until(lambda: not processes_with(str(restic.source)), "no restic left")
    tell(f"restic is really gone (the wrapper exited {process.returncode})")
    wait_until(lambda: house.get("/v1/backups/doomed")[0] == 410, "doomed is gone")
    assert house.cli("describe", "backup", "doomed").returncode == 4
    assert restic.snapshots() == []
    tell("the backup is gone, and no half snapshot was left")


def lost(house, restic, limit_kib, tell=quiet, show=quiet):
    """The wrapper dies of SIGKILL: Lost at once, Failed after lostAfter, the backup PartiallyFailed, numbers kept."""
    house.ok("backup", "create", "orphaned")
    process = start_upload(house, restic, "orphaned", DATA, limit_kib)
    known = wait_moving(house, "orphaned", DATA)
    house.ok("backup", "seal", "orphaned")
    show(2)
    process.send_signal(signal.SIGKILL)
    begun = time.monotonic()
    wait_until(lambda: house.agent_upload("orphaned")["status"]["state"] == "Lost", "the agent says Lost", every=0.002)
    noticed_in = time.monotonic() - begun
    process.wait(60)
    tell(f"the wrapper was killed: the agent says Lost after {noticed_in * 1000:.0f} ms")
    wait_until(lambda: house.phase("orphaned") == "PartiallyFailed", "orphaned is PartiallyFailed")
    status = house.progress("orphaned", DATA)
    assert status["state"] == "Failed" and "without a result" in status["err"], status
    assert status["itemsCompleted"] >= known["itemsCompleted"]
    assert house.cli("backup", "wait", "orphaned").returncode == 3
    tell(f"after lostAfter the upload failed; the backup is PartiallyFailed; {status['itemsCompleted']} bytes kept")
    return {"kill to Lost": noticed_in}


def tool_killed(house, restic, limit_kib, tell=quiet, show=quiet):
    """restic alone is killed: Failed at once, err names signal 9, the wrapper exits 137."""
    house.ok("backup", "create", "crashed")
    process = start_upload(house, restic, "crashed", DATA, limit_kib)
    wait_moving(house, "crashed", DATA)
    house.ok("backup", "seal", "crashed")
    show(2)
    os.kill(wait_until(lambda: child_of(process.pid), "restic's pid"), signal.SIGKILL)
    code = process.wait(60)
    assert code == -signal.SIGKILL, code
    status = wait_until(lambda: (s := house.progress("crashed", DATA)) and s["completed"] and s, "the upload is over")
    assert status["state"] == "Failed" and "signal 9" in status["err"], status
    wait_until(lambda: house.phase("crashed") == "PartiallyFailed", "crashed is PartiallyFailed")
    tell(f"restic was killed: Failed at once, err says “{status['err']}”, exit status {128 - code}")


def settle(house):
    """Everything the agent still shows is over; nothing reports an error of finding out."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        status, body = call(house.sock("agent"), "GET", "/v1/uploads")
        assert status == 200
        return [u["status"]["state"] for u in body["items"]]
    return []
