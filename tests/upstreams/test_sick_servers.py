"""A server that misbehaves costs its own clients an error that says what to do, and nobody else anything."""

import os
import sys
import time
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.upstreams.conftest import Lease
from tests.upstreams.raw_client import RawClient, small

from recollect.gateway.weights import BREAKER_FAILURES
from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")

LOGS = "`recollect gateway logs sick` shows what it wrote"


def hello(client: RawClient) -> str:
    """What a server that cannot be greeted is refused with."""
    answer = client.request("initialize", protocolVersion="2025-11-25", capabilities={})
    return str(answer["error"]["message"])


@requirement("gateway:upstreams:isolated")
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("hangs", "the server 'sick' did not answer within 1 s"),
        ("dies", "the server 'sick' ended with exit code 1, and last wrote: no licence found"),
        ("talks", "the server 'sick' wrote 1000 lines that are not messages"),
    ],
)
def test_a_server_that_cannot_start_is_named_and_the_others_answer(
    folder: Path, lease: Lease, behaviour: str, reason: str
) -> None:
    well = lease(small(folder, "well")).greet()
    sick = lease(small(folder, "sick", behaviour, start_seconds=1.0))
    started = sick.start("initialize", protocolVersion="2025-11-25", capabilities={})

    assert well.call("remember", text="") == ""
    refused = str(sick.answer(started)["error"]["message"])

    assert refused.startswith(reason)
    assert LOGS in refused
    assert well.call("remember", text="") == ""


def test_a_program_that_does_not_exist_is_named(folder: Path, lease: Lease) -> None:
    refused = hello(lease(small(folder, "sick", command="/no/such/program")))

    assert "cannot start '/no/such/program'" in refused
    assert LOGS in refused


def test_a_folder_that_does_not_exist_is_named(folder: Path, lease: Lease) -> None:
    refused = hello(lease(small(folder, "sick", folder="/no/such/folder")))

    assert "the server 'sick' cannot be started" in refused
    assert "/no/such/folder" in refused


@requirement("gateway:upstreams:isolated")
def test_a_server_that_dies_in_a_call_refuses_that_call_and_works_again(
    folder: Path, lease: Lease
) -> None:
    sick, other = lease(small(folder, "sick")).greet(), lease(small(folder, "sick")).greet()
    waits = other.start("tools/call", name="hang", arguments={})

    refused = sick.call("die")

    assert refused.startswith("the server 'sick' ended with exit code 3, and last wrote: out of luck")
    assert LOGS in refused
    assert other.outcome(other.answer(waits)) == refused
    assert sick.call("remember", text="") == ""


@requirement("gateway:upstreams:isolated")
def test_a_server_that_always_dies_is_left_alone_until_it_is_restarted(
    folder: Path, lease: Lease
) -> None:
    sick, well = lease(small(folder, "sick", "dies")), lease(small(folder, "well")).greet()
    for _ in range(int(BREAKER_FAILURES)):
        assert "ended with exit code 1" in hello(sick)

    began = time.monotonic()
    refused = hello(sick)

    assert time.monotonic() - began < 5.0  # no attempt, no pause
    assert "the server 'sick' failed 5 times and is not retried for 60 s" in refused
    assert "`recollect gateway restart sick` tries it now" in refused
    assert well.call("remember", text="") == ""
    answer = ask(folder, ControlRequest("states"))
    assert answer is not None
    assert {server["name"]: server["breaker"] for server in answer["servers"]} == {
        "sick": "open",
        "well": "closed",
    }
    ask(folder, ControlRequest("restart", "sick"))
    assert "ended with exit code 1" in hello(sick)


@pytest.mark.parametrize(
    ("tool", "length"), [("nonsense", len("after nonsense")), ("flood", 7), ("large", 300_000)]
)
def test_noise_and_size_do_no_harm(folder: Path, lease: Lease, tool: str, length: int) -> None:
    client = lease(small(folder, "sick")).greet()

    assert len(client.call(tool)) == length


@requirement("gateway:upstreams:isolated")
def test_a_server_with_500_tools_lists_them_all_beside_others_that_answer(
    folder: Path, lease: Lease
) -> None:
    crowded, well = lease(small(folder, "sick", "crowds")).greet(), lease(small(folder, "well")).greet()
    listing = crowded.start("tools/list")

    assert well.call("remember", text="") == ""
    assert len(crowded.answer(listing)["result"]["tools"]) > 500


def test_what_is_dropped_stands_in_the_servers_log(folder: Path, lease: Lease) -> None:
    client = lease(small(folder, "sick")).greet()
    client.call("nonsense")

    log = (folder / "sick.log").read_text()

    assert "recollect: dropped a line that is not valid JSON: b'not json'" in log
    assert "recollect: dropped a line that is not a JSON-RPC message" in log


@requirement("gateway:upstreams:isolated")
def test_an_answer_with_the_wrong_id_reaches_nobody_and_blocks_nobody(
    folder: Path, lease: Lease
) -> None:
    sick, other = lease(small(folder, "sick")).greet(), lease(small(folder, "sick")).greet()
    waits = sick.start("tools/call", name="wrong_id", arguments={})

    assert other.call("remember", text="") == ""
    sick.send({"method": "notifications/cancelled", "params": {"requestId": waits}})
    assert sick.call("remember", text="") == ""
    assert sick.others == other.others == []
    assert "dropped an answer to 999999" in (folder / "sick.log").read_text()


def test_a_server_that_writes_a_line_without_end_is_stopped(folder: Path, lease: Lease) -> None:
    endless = "import sys\nwhile True: sys.stdout.write('x' * 1000000)"
    sick = lease(small(folder, "sick", arguments=("-c", endless, str(folder))))
    well = lease(small(folder, "well")).greet()

    assert "wrote a line of more than" in hello(sick)
    assert well.call("remember", text="") == ""


def test_a_client_that_does_not_read_delays_nobody(folder: Path, lease: Lease) -> None:
    asleep, awake = lease(small(folder, "sick")).greet(), lease(small(folder, "sick")).greet()
    for _ in range(20):
        asleep.start("tools/call", name="large", arguments={})

    for _ in range(20):
        assert len(awake.call("large")) == 300_000


def test_a_thousand_calls_leave_the_broker_as_it_was(folder: Path, lease: Lease) -> None:
    client = lease(small(folder, "server")).greet()

    def use() -> tuple[int, int]:
        for number in range(500):
            client.call("remember", text=str(number))
            lease(small(folder, "server")).close()
        answer = ask(folder, ControlRequest("states"))
        assert answer is not None
        assert answer["servers"][0]["clients"] == 1
        process = Path(f"/proc/{answer['pid']}")
        pages = int((process / "statm").read_text().split()[1])
        return len(list((process / "fd").iterdir())), pages * os.sysconf("SC_PAGE_SIZE")

    descriptors, memory = use()
    descriptors_later, memory_later = use()

    assert descriptors_later - descriptors < 50  # a leak would be one for each of 500 calls
    assert memory_later - memory < 1_000_000
