"""`memory_why`, as an agent asks it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.requirements import requirement
from tests.samples import draft
from tests.server.running import structured, text_of

from recollect.app.project import Recollect
from recollect.graph.why import MOST_STEPS

pytestmark = pytest.mark.anyio
Connect = Callable[..., Client]
Keep = Callable[..., str]


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return structured(await client.call_tool(tool, arguments))


def link(target: str, type: str = "derived_from") -> dict[str, str]:
    return {"type": type, "target": target, "evidence": "seen"}


async def test_the_walk_ends_at_its_depth_and_says_that_there_is_more(
    connect: Connect, keep: Keep
) -> None:
    for number in range(5, 0, -1):
        keep(f"Step {number}", id=f"m{number}", links=[link(f"m{number + 1}")])
    async with connect() as client:
        two = await call(client, "memory_why", id="m1", depth=2)
        all_of_it = await call(client, "memory_why", id="m1", depth=10)

    assert [step["reason"] for step in two["steps"]] == ["m2", "m3"]
    assert two["more"] is True
    assert [step["reason"] for step in all_of_it["steps"]][-1] == "m6"
    assert "more" not in all_of_it


async def test_a_circle_is_reported_once(connect: Connect, keep: Keep) -> None:
    keep("Chicken", id="a", links=[link("b")])
    keep("Egg", id="b", links=[link("a")])
    async with connect() as client:
        result = await client.call_tool("memory_why", {"id": "a", "depth": 10})

    assert "[a circle]" in text_of(result)
    assert "Some links form a cycle" in text_of(result)


async def test_a_memory_with_very_many_reasons_is_cut_off(connect: Connect, keep: Keep) -> None:
    keep("Centre", id="centre", links=[link(f"r{n}") for n in range(MOST_STEPS + 5)])
    async with connect() as client:
        found = await call(client, "memory_why", id="centre", max_tokens=100_000)

    assert (len(found["steps"]), found["more"]) == (MOST_STEPS, True)


async def test_a_question_is_answered_by_its_best_hit(connect: Connect, keep: Keep) -> None:
    keep("The May outage", id="outage", source={"kind": "agent", "session": "s-1", "line": 7})
    keep("Rotate the signing key", id="rotate", links=[link("outage")])
    async with connect() as client:
        result = await client.call_tool("memory_why", {"id": "why do we rotate the signing key?"})
        nothing = await client.call_tool("memory_why", {"id": "colour of the moon"})

    assert "Rotate the signing key (id: rotate)" in text_of(result)
    assert "rotate derived_from outage (The May outage): seen <- session s-1, line 7" in text_of(result)
    assert nothing.is_error


@requirement("graph:why:question")
async def test_a_question_that_a_skill_answers_best_explains_a_memory_and_names_the_skill(
    connect: Connect, keep: Keep, folder: Path
) -> None:
    page = folder / ".claude" / "skills" / "turbines.md"
    page.parent.mkdir()
    page.write_text("---\ngoverns: [mem:pools]\n---\n# Turbines\n")
    keep("Two pools", id="pools")
    async with connect() as client:
        found = await call(client, "memory_why", id="turbines")
        got = await client.call_tool("memory_get", {"id": "skill:turbines"})
        listed = await client.call_tool("memory_search", {"query": "turbines"})

    assert found["id"] == "pools"
    assert found["others"] == ["skill:turbines"]
    assert text_of(got) == "'skill:turbines' is a skill; read its file, '.claude/skills/turbines.md'."
    assert "[SKILL] Turbines (id: skill:turbines, .claude/skills/turbines.md)" in text_of(listed)
    assert "updated_at" not in structured(listed)["hits"][0]


async def test_why_names_the_session_in_which_an_agent_saved_a_memory(connect: Connect) -> None:
    given = {"category": "preference", "title": "Small commits", "tags": ["git"], "session": "s-77"}
    content = {"topic": "git", "value": "One idea each.", "reason": "Review.", "strength": "soft"}
    async with connect() as client:
        saved = await call(client, "memory_save", **given, content=content)
        found = await call(client, "memory_why", id=saved["id"])

    assert found["grounds"] == [{"kind": "session", "where": "s-77"}]


async def test_an_agent_links_a_memory_of_the_project_to_one_of_the_users(
    connect: Connect, keep: Keep, project: Recollect
) -> None:
    ours = keep("Sign a JWT")
    project.user_space.store.root.path.mkdir(parents=True)
    project.user_memories.save(draft("Tokens are short-lived"))
    async with connect() as client:
        await call(client, "memory_link", id=ours, type="derived_from", target="tokens-are-short-lived")
        found = await call(client, "memory_why", id=ours)

    assert [step["title"] for step in found["steps"]] == ["Tokens are short-lived"]
