"""`gateway restart`, and what `gateway list` says of servers that run."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement
from tests.upstreams.processes import marked, wait_until_gone
from tests.upstreams.raw_client import RawClient, small

from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")


@pytest.fixture
def home(cli: Cli) -> Iterator[Path]:
    """The data folder of a user with one server."""
    cli.ok("gateway", "add", "server", "--", sys.executable, "-V")
    home = Path(cli.ok("gateway", "list", "--json").json()["file"]).parent
    yield home
    if answer := ask(home, ControlRequest("states")):
        os.kill(answer["pid"], signal.SIGTERM)
    assert wait_until_gone(str(home)) == set()


def test_without_a_broker_a_server_is_configured_and_none_is_started_to_say_so(
    cli: Cli, home: Path
) -> None:
    (row,) = cli.ok("gateway", "list", "--json").json()["servers"]

    assert (row["state"], row["clients"], row["pids"]) == ("configured", 0, [])
    assert cli.ok("gateway", "restart", "server", "--json").json() == {"server": "server", "stopped": 0}
    assert marked(str(home)) == set()


@requirement("gateway:upstreams:health")
def test_a_server_that_runs_is_shown_with_its_clients_and_can_be_restarted(
    cli: Cli, home: Path
) -> None:
    clients = [RawClient(home, small(home, "server")).greet() for _ in range(2)]
    before = clients[0].call("pid")

    (row,) = cli.ok("gateway", "list", "--json").json()["servers"]
    assert (row["state"], row["clients"], row["calls"], row["failures"]) == ("leased", 2, 0, 0)
    assert (len(row["pids"]), row["breaker"]) == (1, "closed")
    assert "leased (2 clients)" in cli.ok("gateway", "list").out

    assert "Stopped 1 process of server." in cli.ok("gateway", "restart", "server").out
    assert clients[1].call("pid") != before
    for client in clients:
        client.close()


def test_a_server_that_does_not_exist_cannot_be_restarted(cli: Cli) -> None:
    assert "there is no server 'nothing'" in cli("gateway", "restart", "nothing").err
