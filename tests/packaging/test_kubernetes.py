"""The DaemonSet is what Kubernetes' own schema and types accept, and as locked down as it can be."""
import json
import os
import pathlib
import shutil
import stat
import subprocess

import jsonschema
import pytest
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MANIFEST = ROOT / "packaging/kubernetes/daemonset.yaml"
SCHEMA = HERE / "kubernetes-1.31.schema.json"
TYPES = {"DaemonSet": "io.k8s.api.apps.v1.DaemonSet", "Namespace": "io.k8s.api.core.v1.Namespace",
         "ConfigMap": "io.k8s.api.core.v1.ConfigMap"}
USER = 65532


def documents():
    return [document for document in yaml.safe_load_all(MANIFEST.read_text()) if document]


def schema_errors(document):
    schema = json.loads(SCHEMA.read_text())
    schema["$ref"] = "#/$defs/" + TYPES[document["kind"]]
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
            for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]


@pytest.fixture(name="pod")
def fixture_pod():
    return daemonset()["spec"]["template"]["spec"]


def daemonset():
    return next(document for document in documents() if document["kind"] == "DaemonSet")


def containers(pod):
    return {container["name"]: container for container in pod["containers"]}


def test_every_document_fits_the_schema():
    kinds = [document["kind"] for document in documents()]
    assert kinds == ["Namespace", "DaemonSet"]
    for document in documents():
        assert schema_errors(document) == []


@pytest.mark.parametrize("break_it", [
    lambda spec: spec.update(replicas=1),
    lambda spec: spec.pop("selector"),
    lambda spec: spec["template"]["spec"]["containers"][0].pop("name"),
    lambda spec: spec["template"]["spec"]["containers"][0].update(livenesProbe={}),
    lambda spec: spec["template"]["spec"].update(terminationGracePeriodSeconds="10"),
])
def test_the_schema_finds_mistakes(break_it):
    broken = daemonset()
    break_it(broken["spec"])
    assert schema_errors(broken)


def run_manifest_check(path):
    """Decodes with the API's Go types, strictly. Needs go and, the first time, its module proxy."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("SKIPPED LOUDLY: go is not installed; the manifest was checked by schema only")
    folder = HERE / "manifest_check"
    got = subprocess.run([go, "mod", "download"], cwd=folder, capture_output=True, text=True,
                         timeout=240, check=False)
    if got.returncode != 0:
        pytest.skip(f"SKIPPED LOUDLY: go cannot get the Kubernetes types here: {got.stderr[-300:]}")
    return subprocess.run([go, "run", ".", str(path)], cwd=folder, capture_output=True, text=True,
                          timeout=600, check=False)


def test_the_go_types_decode_it_strictly():
    done = run_manifest_check(MANIFEST)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" ok\n") == len(documents())


def test_the_go_types_refuse_an_unknown_field(tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text(MANIFEST.read_text().replace("hostPath:", "hostPaths:", 1))
    done = run_manifest_check(broken)
    assert done.returncode == 1
    assert "hostPaths" in done.stderr


def test_selector_and_labels_agree():
    spec = daemonset()["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]


def test_agent_and_controller_are_side_by_side(pod):
    assert containers(pod)["agent"]["command"] == ["plimsoll-agent"]
    assert containers(pod)["controller"]["command"] == ["plimsoll-controller"]
    images = {container["image"] for container in pod["containers"] + pod["initContainers"]}
    assert len(images) == 1


def test_nothing_is_privileged_and_only_the_init_container_is_root(pod):
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == USER
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    for key in ("hostPID", "hostNetwork", "hostIPC", "shareProcessNamespace"):
        assert not pod.get(key)
    for container in pod["containers"] + pod["initContainers"]:
        security = container["securityContext"]
        assert not security.get("privileged")
        assert security["allowPrivilegeEscalation"] is False
        assert security["readOnlyRootFilesystem"] is True
        assert security["capabilities"]["drop"] == ["ALL"]
    for container in pod["containers"]:
        security = container["securityContext"]
        assert "add" not in security["capabilities"]
        assert security.get("runAsUser", USER) != 0
        assert security.get("runAsNonRoot", True) is True


@pytest.mark.parametrize("name", ["agent", "controller"])
def test_probes_run_the_health_check(pod, name):
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert containers(pod)[name][probe]["exec"]["command"] == ["plimsoll", "healthcheck", name]
        assert containers(pod)[name][probe]["timeoutSeconds"] >= 5


@pytest.mark.parametrize("name", ["agent", "controller"])
def test_daemons_know_their_node_and_have_bounds(pod, name):
    node = next(entry for entry in containers(pod)[name]["env"] if entry["name"] == "NODE_NAME")
    assert node["valueFrom"]["fieldRef"]["fieldPath"] == "spec.nodeName"
    assert containers(pod)[name]["resources"]["requests"]["cpu"]
    assert containers(pod)[name]["resources"]["limits"]["memory"]


def test_it_runs_on_every_linux_node(pod):
    assert {"operator": "Exists"} in pod["tolerations"]
    assert pod["priorityClassName"] == "system-node-critical"
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux"}


def test_every_mount_has_its_volume_and_run_is_the_hosts(pod):
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    for container in pod["containers"] + pod["initContainers"]:
        for mount in container["volumeMounts"]:
            assert mount["name"] in volumes
    assert volumes["run"]["hostPath"] == {"path": "/run/plimsoll", "type": "DirectoryOrCreate"}
    for name in ("agent", "controller"):
        mounts = {mount["name"]: mount["mountPath"] for mount in containers(pod)[name]["volumeMounts"]}
        assert mounts["run"] == "/run/plimsoll"


def run_init(pod, run, state):
    """Runs the init container's own script with the capabilities that its manifest gives, no others."""
    init = pod["initContainers"][0]
    added = init["securityContext"]["capabilities"]["add"]
    capabilities = "-all," + ",".join("+" + name.lower() for name in added)
    variables = {entry["name"]: entry["value"] for entry in init["env"]}
    assert variables == {"RUN": "/run/plimsoll", "STATE": "/var/lib/plimsoll"}
    subprocess.run(["setpriv", "--bounding-set", capabilities, "--inh-caps", "-all", *init["command"]],
                   env={"PATH": os.environ["PATH"], "RUN": str(run), "STATE": str(state)}, check=True)


def mode_and_owner(path):
    info = path.stat()
    return stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid


@pytest.mark.skipif(os.geteuid() != 0, reason="the init container runs as root")
def test_the_init_container_gives_owner_and_mode_each_time(pod, tmp_path):
    run, state = tmp_path / "run", tmp_path / "state"
    run.mkdir()
    state.mkdir()
    expected = {run: (0o755, USER, USER), run / "segments": (0o3770, USER, USER), state: (0o700, USER, USER)}
    run_init(pod, run, state)
    assert {path: mode_and_owner(path) for path in expected} == expected
    (run / "segments").chmod(0o700)  # a directory that already is USER's, with a wrong mode
    run_init(pod, run, state)
    assert {path: mode_and_owner(path) for path in expected} == expected
    (run / "segments").rmdir()  # half done before: RUN belongs to USER, segments is missing
    run_init(pod, run, state)
    assert {path: mode_and_owner(path) for path in expected} == expected


def test_the_comments_say_what_a_reader_must_know():
    text = MANIFEST.read_text()
    assert "knows its own node only" in text
    assert f"supplementalGroups: [{USER}]" in text
