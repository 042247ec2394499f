"""The broker: who shares a process, when processes start and end, and that none is left."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.upstreams import raw_client
from tests.upstreams.conftest import Lease
from tests.upstreams.processes import marked, wait_until_gone
from tests.upstreams.raw_client import lease_line, small

from recollect.private_socket import connect
from recollect.upstreams.broker_client import SOCKET_NAME, ask, open_lease
from recollect.upstreams.lease_request import ControlRequest, LeaseRequest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")

CLIENTS, SERVERS, TRIALS = 13, 6, 20


def holder(folder: Path, *requests: LeaseRequest) -> "subprocess.Popen[str]":
    """A process that leases servers, whose servers start children that ignore everything."""
    lines = [lease_line(request) for request in requests]
    return subprocess.Popen(
        [sys.executable, "-m", raw_client.__name__, str(folder), *lines],
        cwd=Path(raw_client.__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_until_ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def states(folder: Path) -> list[dict[str, Any]]:
    answer = ask(folder, ControlRequest("states"))
    return [] if answer is None else list(answer["servers"])


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@requirement("gateway:broker:shared")
def test_thirteen_clients_of_six_servers_have_six_processes_and_one_broker(folder: Path) -> None:
    requests = [small(folder, f"server{number}") for number in range(SERVERS)]
    clients = [holder(folder, *requests) for _ in range(CLIENTS)]
    try:
        for client in clients:
            wait_until_ready(client)

        servers = states(folder)

        assert [server["clients"] for server in servers] == [CLIENTS] * SERVERS
        assert len({server["pid"] for server in servers}) == SERVERS
        brokers = marked("recollect.upstreams.broker") & marked(str(folder))
        assert len(brokers) == 1
    finally:
        for client in clients:
            client.kill()
            client.communicate()


@requirement("gateway:broker:separate")
@pytest.mark.parametrize(
    "difference",
    [
        {"roots": ("file:///elsewhere",)},
        {"env": (("PATH", "/usr/bin:/bin"), ("TOKEN", "another"))},
        {"folder": "/"},
        {"name": "other"},
        {"shared": False},
    ],
    ids=lambda difference: next(iter(difference)),
)
def test_clients_that_differ_never_share_a_process(
    folder: Path, lease: Lease, difference: dict[str, Any]
) -> None:
    first = lease(small(folder, "server")).greet()
    same = lease(small(folder, "server")).greet()
    other = lease(small(folder, "server", **difference)).greet()

    assert first.call("pid") == same.call("pid") != other.call("pid")


def test_two_private_clients_have_a_process_each(folder: Path, lease: Lease) -> None:
    request = small(folder, "server", shared=False)

    assert lease(request).greet().call("pid") != lease(request).greet().call("pid")


@requirement("gateway:broker:separate")
def test_a_client_can_not_read_the_files_of_a_project_with_other_roots(
    folder: Path, lease: Lease
) -> None:
    clients = {}
    for project in ("ours", "theirs"):
        (folder / project).mkdir()
        (folder / project / "secret.txt").write_text(f"secret of {project}")
        clients[project] = lease(small(folder, "files", roots=(f"file://{folder / project}",))).greet()

    def read(project: str, path: Path) -> str:
        client = clients[project]
        call = client.start("tools/call", name="read", arguments={"path": str(path)})
        question = client.receive()
        assert question["method"] == "roots/list"
        roots = [{"uri": f"file://{folder / project}"}]
        client.send({"id": question["id"], "result": {"roots": roots}})
        return client.outcome(client.answer(call))

    assert read("ours", folder / "ours/secret.txt") == "secret of ours"
    assert read("ours", folder / "theirs/secret.txt").startswith("denied")
    assert read("theirs", folder / "theirs/secret.txt") == "secret of theirs"


@requirement("gateway:upstreams:on-demand")
def test_a_server_starts_with_the_first_request_stops_when_idle_and_starts_again(
    folder: Path, lease: Lease
) -> None:
    client = lease(small(folder, "server", idle_seconds=0.3))
    assert states(folder)[0]["pid"] is None

    client.greet().call("remember", text="this process")
    assert wait_for(lambda: states(folder)[0]["pid"] is None)
    later = client.call("remember", text="")

    assert later == ""  # a new process, greeted by the broker
    assert states(folder)[0]["failures"] == 0


def test_a_server_with_an_open_call_is_not_idle(folder: Path, lease: Lease) -> None:
    client = lease(small(folder, "server", idle_seconds=0.1)).greet()
    client.start("tools/call", name="hang", arguments={})
    pid = states(folder)[0]["pid"]
    time.sleep(0.5)

    assert states(folder)[0]["pid"] == pid


def test_a_restart_starts_another_process_and_refuses_what_was_open(folder: Path, lease: Lease) -> None:
    client = lease(small(folder, "server")).greet()
    before = client.call("pid")
    open_call = client.start("tools/call", name="hang", arguments={})
    wait_for(lambda: states(folder)[0]["calls"] == 1)

    answer = ask(folder, ControlRequest("restart", "server"))

    assert answer is not None
    assert len(answer["servers"]) == 1
    assert client.outcome(client.answer(open_call)) == "the server 'server' was restarted; call again."
    assert client.call("pid") != before


def test_a_change_of_tools_reaches_every_client(folder: Path, lease: Lease) -> None:
    clients = [lease(small(folder, "server")).greet() for _ in range(3)]

    clients[0].call("change")

    for client in clients:
        message = client.others.pop() if client.others else client.receive()
        assert message["method"] == "notifications/tools/list_changed"


def test_a_question_about_servers_starts_no_broker(folder: Path) -> None:
    assert ask(folder, ControlRequest("states")) is None
    assert marked(str(folder)) == set()


def test_the_socket_is_its_users_alone(folder: Path, lease: Lease) -> None:
    lease(small(folder, "server"))

    assert stat.S_IMODE((folder / SOCKET_NAME).stat().st_mode) == 0o600
    for file in folder.glob("broker-*"):
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077


def test_a_socket_that_others_may_open_is_not_used(folder: Path) -> None:
    planted = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with planted:
        planted.bind(str(folder / SOCKET_NAME))
        planted.listen()
        (folder / SOCKET_NAME).chmod(0o666)

        with pytest.raises(PermissionError):
            open_lease(folder, small(folder, "server"))


def test_a_broker_that_was_killed_is_replaced(folder: Path, lease: Lease) -> None:
    client = lease(small(folder, "server")).greet()
    state = ask(folder, ControlRequest("states"))
    assert state is not None
    os.kill(state["pid"], signal.SIGKILL)
    with pytest.raises(ConnectionResetError):
        client.receive()

    assert lease(small(folder, "server")).greet().call("remember", text="") == ""


def test_a_client_that_writes_nonsense_harms_nobody(folder: Path, lease: Lease) -> None:
    calm, wild = lease(small(folder, "server")).greet(), lease(small(folder, "server"))

    for line in (b"not json\n", b"[]\n", b'{"id": {}}\n', b"\xff\xfe\n", b'{"id": 1, "result": 1}\n'):
        wild.line.sendall(line)
    wild.line.sendall(b'{"no": "end"')

    assert calm.call("remember", text="") == ""


def test_a_first_line_that_is_no_request_is_refused(folder: Path, lease: Lease) -> None:
    lease(small(folder, "server"))
    for line in (
        b"GET / HTTP/1.1\n",
        b"{}\n",
        b'{"v": 1, "lease": {"name": 1}}\n',
        b"[" * 9999 + b"\n",
    ):
        with connect((folder / SOCKET_NAME).resolve()) as other:
            other.settimeout(30)
            other.sendall(line)
            assert b"error" in other.recv(1000)


@requirement("gateway:upstreams:no-orphan")
@pytest.mark.parametrize("end", ["clean", "client", "broker", "both"])
def test_nothing_is_left_however_it_ends(tmp_path: Path, end: str) -> None:
    """Twenty brokers, each with a client, a stubborn server and children of it that ignore everything."""
    trials = []
    for number in range(TRIALS):
        folder = tmp_path / str(number)
        folder.mkdir()
        trials.append((folder, holder(folder, small(folder, "server", "stubborn"))))
    for folder, client in trials:
        wait_until_ready(client)
        state = ask(folder, ControlRequest("states"))
        assert state is not None
        if end in ("broker", "both"):
            os.kill(state["pid"], signal.SIGKILL)
        if end in ("client", "both"):
            client.kill()
    for _, client in trials:
        client.communicate()

    assert wait_until_gone(str(tmp_path), 60.0) == set()
