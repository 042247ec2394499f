"""A folder with a broker of its own, which is gone when the test is over."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.upstreams.processes import wait_until_gone
from tests.upstreams.raw_client import RawClient

from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest, LeaseRequest

Lease = Callable[[LeaseRequest], RawClient]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of a broker. At the end the broker is asked to end, and nothing of it may be left."""
    yield tmp_path
    if state := ask(tmp_path, ControlRequest("states")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(state["pid"], signal.SIGTERM)
    assert wait_until_gone(str(tmp_path)) == set()


@pytest.fixture
def lease(folder: Path) -> Iterator[Lease]:
    """Opens leases, and closes them at the end."""
    clients: list[RawClient] = []

    def opened(request: LeaseRequest) -> RawClient:
        clients.append(RawClient(folder, request))
        return clients[-1]

    yield opened
    for client in clients:
        client.close()
