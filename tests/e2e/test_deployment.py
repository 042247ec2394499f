"""The unit and the container file of `deploy/`: read as they are, and their commands run as they say."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from tests.postgres import Server
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]
UNIT, CONTAINER = ROOT / "deploy" / "recollect@.service", ROOT / "deploy" / "Containerfile"
ACCOUNT = "nobody"
WAIT = 60.0
# What ProtectSystem=strict, ProtectHome=yes and User= do, in a mount namespace of its own: $1 is the folder
# that may be written, and the rest is the command.
CONFINED = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro /
mount -t tmpfs -o mode=000 tmpfs /home
shift
exec setpriv --reuid=nobody --clear-groups --no-new-privs "$@"
"""


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def started(
    command: list[str], folder: Path, env: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        command, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until_ready(process: "subprocess.Popen[str]", port: int) -> None:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=WAIT) as answer:
                assert answer.status == 200
                return
        except URLError:
            time.sleep(0.05)
    process.kill()
    assert process.stderr is not None
    raise AssertionError(process.stderr.read())


def settings(section: str) -> dict[str, list[str]]:
    """The keys of a section of the unit, as systemd reads them."""
    _, _, rest = UNIT.read_text("utf-8").partition(f"[{section}]\n")
    found: dict[str, list[str]] = {}
    for line in rest.partition("\n[")[0].splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


@requirement("team:operations:deployment")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    program = f"{Path(sys.executable).parent}/recollect"
    unit = tmp_path / "recollect@shop.service"
    unit.write_text(UNIT.read_text("utf-8").replace("/opt/recollect/bin/recollect", program), "utf-8")

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        check=False,
        capture_output=True,
        text=True,
        timeout=WAIT,
    )

    complaints = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, complaints) == (0, [])


@requirement("team:operations:deployment")
def test_the_command_of_the_unit_runs_where_only_its_own_folders_can_be_written(
    tmp_path: Path, postgres_server: Server
) -> None:
    service, port = settings("Service"), free_port()
    assert (service["ProtectSystem"], service["ProtectHome"]) == (["strict"], ["yes"])
    writable = tmp_path / "writable"
    folder, state = writable / "srv" / "shop", writable / "lib" / "recollect" / "shop"
    for each in (folder, state):
        each.mkdir(parents=True)
    confined = ["unshare", "--mount", "sh", "-c", CONFINED, "confined", str(writable)]
    refuse_unless_confined(confined, tmp_path, writable)
    variables = dict(pair.split("=", 1) for line in service["Environment"] for pair in line.split())
    assert service["StateDirectory"] == ["recollect/%i"]
    assert variables.pop("HOME") == "%S/recollect/%i"
    env = {**variables, "HOME": str(state), "PATH": "/usr/bin:/bin", "PORT": str(port)}
    env["RECOLLECT_DATABASE"] = postgres_server.url("tests")
    [line] = service["ExecStart"]
    program, *arguments = shlex.split(line.replace("${PORT}", str(port)))
    assert program == "/opt/recollect/bin/recollect"
    recollect = [*confined, sys.executable, "-m", "recollect"]
    subprocess.run([*recollect, "init"], cwd=folder, env=env, check=True, capture_output=True)

    with started([*recollect, *arguments], folder, env) as process:
        until_ready(process, port)
        process.send_signal(getattr(signal, service["KillSignal"][0]))
        process.wait(float(service["TimeoutStopSec"][0]) + WAIT)

        assert process.returncode in (0, -signal.SIGTERM)


def refuse_unless_confined(confined: list[str], tmp_path: Path, writable: Path) -> None:
    """Give the folders to the account; skips where this account may not mount or the other not read us."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root on Linux may mount")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(tmp_path.parents[2]):
            folder.chmod(folder.stat().st_mode | 0o055)
    for path in (writable, *writable.rglob("*")):
        shutil.chown(path, ACCOUNT)
    look = [*confined, sys.executable, "-c", "import recollect"]
    done = subprocess.run(look, check=False, capture_output=True, text=True, timeout=WAIT)
    if done.returncode:
        pytest.skip(f"a process cannot be confined here: {done.stderr.strip()[-200:]}")


def instructions() -> list[tuple[str, str]]:
    """The instructions of the container file with their arguments."""
    text = re.sub(r"\\\n\s*", "", CONTAINER.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


@requirement("team:operations:deployment")
def test_what_the_container_file_copies_is_enough_to_build_and_to_serve(
    tmp_path: Path, env: dict[str, str], postgres_server: Server
) -> None:
    build = tmp_path / "build"
    build.mkdir()
    for name, rest in instructions():
        if name == "COPY":
            *sources, target = rest.split()
            for source in sources:
                copy(ROOT / source, tmp_path / target.strip("/"), whole=target.endswith("src"))
    [extras] = re.findall(r'"/build\[([a-z,]+)\]"', CONTAINER.read_text("utf-8"))
    project = tomllib.loads((build / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    wheel = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*wheel, "-w", str(tmp_path), str(build)], check=True, capture_output=True)
    [built] = tmp_path.glob("recollect-*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(built).extractall(installed)
    answers(tmp_path / "project", {**env, "PYTHONPATH": str(installed)}, postgres_server, installed)


def copy(source: Path, target: Path, *, whole: bool) -> None:
    if source.is_dir() and whole:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "static"))
    else:
        shutil.copy(source, target)


def answers(folder: Path, env: dict[str, str], server: Server, installed: Path) -> None:
    """Run the entry point with its command, then the health check, and end it by the stop signal."""
    said, port = dict(instructions()), free_port()
    folder.mkdir()
    env |= {"RECOLLECT_DATABASE": server.url("tests"), "HOME": str(folder.parent / "home")}
    assert json.loads(said["ENTRYPOINT"]) == ["recollect"]
    recollect = [sys.executable, "-m", "recollect"]
    where = "import recollect; print(recollect.__file__)"
    shown = subprocess.run(
        [sys.executable, "-c", where], env=env, cwd=folder, check=True, capture_output=True, text=True
    )
    assert shown.stdout.startswith(str(installed))
    subprocess.run([*recollect, "init"], cwd=folder, env=env, check=True, capture_output=True)

    with started([*recollect, *json.loads(said["CMD"]), "--port", str(port)], folder, env) as process:
        until_ready(process, port)
        _, interpreter, *check = shlex.split(said["HEALTHCHECK"])
        assert interpreter == "python"
        check = [each.replace(":8377/", f":{port}/") for each in check]
        subprocess.run([sys.executable, *check], env=env, check=True, timeout=WAIT)
        process.send_signal(getattr(signal, said["STOPSIGNAL"]))

        assert process.wait(WAIT) in (0, -signal.SIGTERM)
