"""Bad input of every kind: one clear message (what, where, what to do), the documented code, no harm to anyone else."""
import os
import socket
import struct
import subprocess

import pytest

from harness import BIN, TESTS_BIN, call, wait_until


def start_daemon(house, name, *flags):
    return subprocess.run([str(BIN / f"plimsoll-{name}"), *flags], env=house.env, capture_output=True, text=True,
                          timeout=30, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("daemon", ["agent", "controller"])
@pytest.mark.parametrize("text,place,says", [
    ("swep: 1s\n", ":1:1:", "unknown key"),
    ("log:\n  level: [\n", ":3:1:", "not valid YAML"),
    ("log:\n  level: loud\n", ":2:10:", "loud"),
    ("log: {level: info}\nlog: {level: info}\n", ":2:1:", "log"),
])
def test_a_wrong_config_names_file_line_and_column_and_exits_78(make_house, daemon, text, place, says):
    house = make_house()
    config = house.home / "bad.yaml"
    config.write_text(text)
    config.chmod(0o600)
    for flags in (["--config", str(config)], ["--config", str(config), "--check-config"]):
        result = start_daemon(house, daemon, *flags)
        assert result.returncode == 78, result.stderr
        assert f"bad.yaml{place}" in result.stderr and says in result.stderr, result.stderr
    assert not house.run.exists(), "a refused daemon made files"


def test_the_nearest_key_is_named(make_house):
    house = make_house()
    config = house.home / "bad.yaml"
    config.write_text("swep: 1s\n")
    config.chmod(0o600)
    assert "sweep" in start_daemon(house, "agent", "--config", str(config)).stderr


def test_without_a_daemon_clients_exit_69_and_name_the_socket(make_house):
    house = make_house()
    result = house.cli("get", "backups")
    assert result.returncode == 69
    assert "controller.sock" in result.stderr and result.stdout == ""


@pytest.mark.parametrize("command", [
    ("describe", "backup", "nope"), ("get", "backups", "nope"), ("backup", "seal", "nope"),
    ("backup", "delete", "nope"), ("backup", "wait", "nope"), ("cancel", "ffffffffffffffff"),
])
def test_an_unknown_name_exits_4_and_is_quoted(house, command):
    result = house.cli(*command)
    assert result.returncode == 4, (result.returncode, result.stderr)
    assert command[-1] in result.stderr and result.stdout == ""


def test_a_name_that_is_taken_is_refused_and_the_first_backup_unharmed(house):
    house.ok("backup", "create", "nightly", "--item", "paths/srv")
    before = house.backup("nightly")
    result = house.cli("backup", "create", "nightly")
    assert result.returncode == 1 and "nightly" in result.stderr
    assert call(house.sock("controller"), "POST", "/v1/backups", {"metadata": {"name": "nightly"}})[0] == 409
    assert house.backup("nightly")["metadata"] == before["metadata"]


@pytest.mark.parametrize("item", ["novolume", "a/b/c/d", "/x", "a//b", "a/..", "a/b\x1b[31m"])
def test_a_malformed_item_is_refused_with_its_field_and_nothing_is_stored(house, item):
    status, body = call(house.sock("controller"), "POST", "/v1/backups",
                        {"metadata": {"name": "bad"}, "spec": {"items": [{"item": item}]}})
    assert status == 400 and body["kind"] == "Error" and body["code"] == "bad_request"
    assert body["field"] == "spec.items[0].item" and body["hint"]
    assert "\x1b" not in body["message"]
    assert house.get("/v1/backups/bad")[0] == 404
    result = house.cli("backup", "create", "bad", "--item", item)
    assert result.returncode in (1, 2) and "item" in result.stderr and "\x1b" not in result.stderr


@pytest.mark.parametrize("body,status", [
    ("{", 400), ("[]", 400), ("null", 400), ("{\"metadata\":{\"nam\":\"x\"}}", 400), ("[" * 5000, 400),
    ("{\"metadata\":{\"name\":1}}", 400), (b"\xff\xfe", 400), ("{\"metadata\":{\"name\":\"UPPER\"}}", 400),
    ("x" * ((1 << 20) + 1), 413),
], ids=["cut", "list", "null", "unknown field", "deep", "number", "no utf-8", "bad name", "too large"])
def test_wrong_json_gets_the_error_object_and_the_controller_lives(house, body, status):
    got, error = call(house.sock("controller"), "POST", "/v1/backups", body)
    assert got == status, error
    assert error["kind"] == "Error" and error["message"], error
    assert house.ready("controller")


@pytest.mark.parametrize("method,path,status", [
    ("GET", "/v1/nothing", 404), ("PATCH", "/v1/backups", 405), ("GET", "/v1/backups/a%00b", 400),
    ("GET", "/v1/uploads?state=Nonsense", 400), ("GET", "/v1/backups?limit=-1", 400),
])
def test_wrong_paths_methods_and_queries_are_told_apart(house, method, path, status):
    got, error = call(house.sock("controller"), method, path)
    assert got == status and error["kind"] == "Error", (got, error)


def mover(house, backup, item="paths/srv"):
    """The test mover, open and reporting; commands go to its stdin."""
    process = subprocess.Popen([str(TESTS_BIN / "test_mover"), f"backup={backup}", f"item={item}"], env=house.env,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    house.children.append(process)
    process.stdin.write("update 10 100\n")
    process.stdin.flush()
    wait_until(lambda: house.agent_upload(backup), "the agent shows the mover")
    return process


def test_alien_and_corrupt_files_in_the_directory_harm_nobody(house):
    process = mover(house, "nightly")
    segments = house.run / "segments"
    good = next(segments.glob("*.seg")).read_bytes()

    def plant(name, content):
        (segments / name).write_bytes(content)
        (segments / name).chmod(0o660)

    plant("0" * 24 + ".seg", b"")
    plant("1" * 24 + ".seg", os.urandom(len(good)))
    plant("2" * 24 + ".seg", good[:4096] + b"\xff" * (len(good) - 4096))
    plant("3" * 24 + ".seg", good[:100] + b"\xff" + good[101:])
    plant("4" * 24 + ".seg", good)  # a copy: another name, the same identity inside
    plant("README", b"hello")
    os.mkfifo(segments / ("5" * 24 + ".seg"))
    os.symlink("/etc/shadow", segments / ("6" * 24 + ".seg"))
    os.mkdir(segments / ("7" * 24 + ".seg"))
    with open(segments / ("8" * 24 + ".seg"), "wb") as file:
        file.truncate(1 << 40)
    process.stdin.write("update 50 100\n")
    process.stdin.flush()
    wait_until(lambda: house.agent_upload("nightly")["status"]["itemsCompleted"] == 50, "the good one goes on")
    status, body = house.get("/v1/uploads", "agent")
    assert status == 200 and [u["spec"]["backup"] for u in body["items"]] == ["nightly"], body
    assert house.daemons["agent"].poll() is None


def crc32c(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize("attack", [
    b"\0" * 8, b"\xff" * 8, b"GET / HTTP/1.1\r\n\r\n", struct.pack("<II", 4, 0) + b"abcd",
    struct.pack("<II", 64, crc32c(b"A" * 64)) + b"A" * 64,
], ids=["zero length", "giant length", "http", "wrong crc", "garbage table"])
def test_a_broken_frame_closes_that_connection_only(house, attack):
    process = mover(house, "nightly")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(20)
        peer.connect(str(house.run / "uplink.sock"))
        peer.sendall(attack)
        while peer.recv(4096):
            pass  # what it says before it closes does not matter; the end must come
    process.stdin.write("update 70 100\n")
    process.stdin.flush()
    wait_until(lambda: [u for u in house.get("/v1/uploads?orphans=1")[1]["items"]
                        if u["status"]["itemsCompleted"] == 70], "the real agent still reports")


def test_a_second_daemon_says_who_is_there(house):
    result = start_daemon(house, "controller")
    assert result.returncode == 69
    assert str(house.daemons["controller"].pid) in result.stderr, result.stderr


def test_usage_errors_exit_2_before_anything_happens(house):
    for args in (["frobnicate"], ["get", "unicorns"], ["backup", "create"], ["run"], ["get", "backups", "-o", "xml"]):
        result = house.cli(*args)
        assert result.returncode == 2, (args, result.returncode, result.stderr)
        assert result.stderr and result.stdout == ""
