"""What holds, as agents are told it: by the clock, and by no end that is still to come."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client
from tests.conftest import Wall
from tests.requirements import requirement
from tests.server.running import structured, text_of

pytestmark = pytest.mark.anyio
Connect = Callable[..., Client]
Keep = Callable[..., str]
SWITCH = "2026-11-20T10:00:00Z"  # five days after the clock's now
PROMPT = "how do we keep the session of a customer at login?"


@pytest.fixture
def switch(keep: Keep) -> None:
    """A rule until a day, and the one from that day on."""
    keep("Keep the session of a customer in a cookie at login", id="cookie", valid_to=SWITCH)
    keep("Keep the session of a customer in Redis at login", id="redis", valid_from=SWITCH)


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    return structured(await client.call_tool(name, arguments))


async def _in_force(client: Client) -> list[set[str]]:
    """What each way to ask gives."""
    given = [
        {row["id"] for row in (await call(client, "memory_context", **asked))["memories"]}
        for asked in ({"text": PROMPT}, {"text": PROMPT, "mode": "quick"})
    ]
    listed = {
        str(one.uri).removeprefix("memory://") for one in (await client.list_resources()).resources
    }
    return [*given, listed - {"index"}]


@requirement("records:validity:moment")
@pytest.mark.usefixtures("switch")
async def test_results_change_on_the_day_that_a_validity_ends(connect: Connect, wall: Wall) -> None:
    async with connect() as client:
        before = await _in_force(client)
        why = [(await call(client, "memory_why", id=id))["valid"] for id in ("cookie", "redis")]
        wall.move(days=5)
        after = await _in_force(client)
        then = [(await call(client, "memory_why", id=id))["valid"] for id in ("cookie", "redis")]

    assert before == [{"cookie"}] * 3
    assert after == [{"redis"}] * 3
    assert (why, then) == ([True, False], [False, True])


@requirement("records:validity:told")
@pytest.mark.usefixtures("switch")
async def test_a_search_warns_about_limited_validity(connect: Connect, wall: Wall) -> None:
    async with connect() as client:
        before = await call(client, "memory_search", query=PROMPT)
        wall.move(days=5)
        result = await client.call_tool("memory_search", {"query": PROMPT})
        sheet = text_of(await client.call_tool("memory_get", {"id": "cookie"}))

    assert {hit["id"]: hit["warnings"] for hit in before["hits"]} == {
        "cookie": ["valid until 2026-11-20"],
        "redis": ["not valid before 2026-11-20"],
    }
    assert {hit["id"]: hit.get("warnings") for hit in structured(result)["hits"]} == {
        "cookie": ["superseded: no longer valid since 2026-11-20; memory_why names the successor"],
        "redis": None,
    }
    assert "Keep the session of a customer in a cookie at login (superseded)" in text_of(result)
    assert "no longer valid since 2026-11-20" in sheet


@requirement("records:validity:told")
async def test_a_step_to_a_memory_that_is_no_longer_valid_says_since_when(
    connect: Connect, keep: Keep
) -> None:
    keep("Keep it in a cookie", id="cookie", valid_from="2026-01-01", valid_to="2026-06-01")
    keep("Keep it in Redis", id="redis", links=[{"type": "derived_from", "target": "cookie"}])
    async with connect() as client:
        result = await client.call_tool("memory_why", {"id": "redis"})

    [step] = structured(result)["steps"]
    assert step["valid_to"] == "2026-06-01T00:00:00Z"
    assert "[no longer valid since 2026-06-01]" in text_of(result)
