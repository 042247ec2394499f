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


@pytest.mark.usefixtures("switch")
async def test_a_search_warns_about_limited_validity(connect: Connect, wall: Wall) -> None:
    async with connect() as client:
        before = await call(client, "memory_search", query=PROMPT)
        wall.move(days=5)
        result = await client.call_tool("memory_search", {"query": PROMPT})
        sheet = text_of(await client.call_tool("memory_get", {"id": "cookie"}))

    assert {hit["id"]: hit["warnings"] for hit in before["hits"]} == {
        "cookie": ["valid until 2026-11-20"],
        "redis": ["not valid before 2026-11-20: not in force"],
    }
    assert {hit["id"]: hit.get("warnings") for hit in structured(result)["hits"]} == {
        "cookie": ["no longer valid since 2026-11-20: not in force"],
        "redis": None,
    }
    assert (
        "Keep the session of a customer in a cookie at login (no longer valid since 2026-11-20)"
        in text_of(result)
    )
    assert "no longer valid since 2026-11-20" in sheet


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


@requirement("server:in-force:told")
async def test_a_rejected_decision_is_never_called_active(connect: Connect, keep: Keep) -> None:
    keep("Keep the session of a customer in a cookie at login", id="cookie")
    keep(
        "Keep the session of a customer in the URL at login",
        id="url",
        content={"status": "rejected"},
    )
    async with connect() as client:
        hits = await client.call_tool("memory_search", {"query": PROMPT})
        sheet = await client.call_tool("memory_get", {"id": "url"})
        why = await client.call_tool("memory_why", {"id": "url"})
        given = await call(client, "memory_context", text=PROMPT, mode="quick")
        warm = await call(client, "memory_context", text=PROMPT)

    rows = structured(hits)["hits"]
    assert [(row["id"], row.get("warnings")) for row in rows] == [
        ("cookie", None),
        ("url", ["rejected: not in force"]),
    ]
    assert "in the URL at login (rejected)" in text_of(hits)
    assert "active" not in text_of(sheet)
    assert "not in force: rejected" in text_of(sheet)
    assert structured(sheet)["not_in_force"] == "rejected"
    assert "[not in force: rejected]" in text_of(why)
    assert structured(why)["valid"] is False
    assert [row["id"] for row in given["memories"]] == ["cookie"]
    assert "url" not in [row["id"] for row in warm["memories"]]


@requirement("server:in-force:told")
async def test_the_sheet_of_a_superseded_memory_names_its_successor(
    connect: Connect, keep: Keep, wall: Wall
) -> None:
    keep("Keep it in a cookie", id="cookie")
    keep("Keep it in Redis", id="redis", links=[{"type": "supersedes", "target": "mem:cookie"}])
    wall.move(days=1)
    async with connect() as client:
        sheet = text_of(await client.call_tool("memory_get", {"id": "cookie"}))

    assert "not in force: superseded by redis since 2026-11-15" in sheet
