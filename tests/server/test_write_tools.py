"""`memory_save`, `memory_update`, `memory_link`, `memory_get` and `memory_why`, as an agent uses them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.conftest import Wall
from tests.requirements import requirement
from tests.samples import CONTENT
from tests.server.running import structured, text_of

from recollect.app.project import Recollect
from recollect.records.categories import Category
from recollect.server import budget
from recollect.server.write_tools import content_help

pytestmark = pytest.mark.anyio
Connect = Callable[..., Client]
Keep = Callable[..., str]
JWT = "sign-a-jwt-at-login"


def decision(title: str, **fields: Any) -> dict[str, Any]:
    given = {"category": "decision", "title": title, "tags": ["auth"]}
    return given | {"content": dict(CONTENT[Category.DECISION])} | fields


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    return structured(await client.call_tool(name, arguments))


@requirement("server:save:agent-source")
async def test_a_memory_that_an_agent_saves_has_the_agent_as_its_source(
    connect: Connect, project: Recollect
) -> None:
    async with connect() as client:
        saved = await call(client, "memory_save", **decision("Sign a JWT at login"))

    assert saved["action"] == "created"
    assert project.get(saved["id"]).memory.source == {"kind": "agent"}
    assert project.get(saved["id"]).digest == saved["version"]


@requirement("server:save:agent-source")
async def test_an_agent_cannot_claim_another_source(connect: Connect, keep: Keep) -> None:
    keep("Sign a JWT at login", source={"kind": "tool"})
    async with connect() as client:
        forged = decision("Tabs", source={"kind": "user"})
        for name, arguments in (
            ("memory_save", forged),
            ("memory_update", {"id": JWT, "source": {"kind": "user"}}),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert "unknown argument 'source'" in text_of(result)


async def test_a_duplicate_is_not_written_and_the_answer_names_the_existing_memory(
    connect: Connect, project: Recollect
) -> None:
    async with connect() as client:
        await call(client, "memory_save", **decision("Sign a JWT at login"))
        again = await call(client, "memory_save", **decision("Sign a JWT at login"))
        after = len(project.memories.scan().stored)
        both = await call(
            client, "memory_save", **decision("Sign a JWT at login", allow_duplicate=True)
        )

    assert (again["action"], again["id"], again["exact"]) == ("duplicate", JWT, True)
    assert f"memory_update with id '{JWT}' changes that memory" in again["advice"]
    assert after == 1
    assert (both["action"], both["id"]) == ("created", f"{JWT}-2")


async def test_a_memory_may_supersede_link_and_be_anchored(
    connect: Connect, project: Recollect, keep: Keep, folder: Path
) -> None:
    keep("Sign a JWT at login")
    (folder / "auth.py").write_text("one\ntwo\n")
    async with connect() as client:
        saved = await call(
            client,
            "memory_save",
            **decision(
                "Use opaque sessions",
                supersedes=[JWT],
                links=[{"type": "derived_from", "target": JWT, "evidence": "the audit"}],
                anchors=["auth.py:1-2"],
                related_files=["src/*.py"],
                confidence=0.9,
            ),
        )
        missing = await client.call_tool("memory_save", decision("Tabs", supersedes=["nothing"]))

    memory = project.get(saved["id"]).memory
    assert saved["superseded"] == [JWT]
    assert [link.type.value for link in memory.links] == ["derived_from", "supersedes"]
    assert [anchor.path for anchor in memory.anchors] == ["auth.py"]
    assert memory.confidence == 0.9
    assert text_of(missing).startswith("there is no memory 'nothing'")


@requirement("server:save:redacted")
async def test_a_secret_is_removed_and_the_answer_says_so(connect: Connect, project: Recollect) -> None:
    secret = "AKIA" + "QYLPMN5HHHFPZAM2"
    async with connect() as client:
        saved = await call(client, "memory_save", **decision(f"The key is {secret}"))

    assert saved["redacted"][0]["field"] == "title"
    assert secret not in project.get(saved["id"]).memory.title


async def test_a_users_memory_is_kept_beside_the_project(connect: Connect, project: Recollect) -> None:
    async with connect() as client:
        saved = await call(client, "memory_save", **decision("Tabs", scope="user"))

    assert project.user_memories.get(saved["id"]).memory.title == "Tabs"


async def test_invalid_content_is_reported_field_by_field(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("memory_save", decision("Tabs", content={"status": "maybe"}))

    assert result.is_error
    assert "content.status: must be proposed | accepted" in text_of(result)
    assert "content.context: is missing" in text_of(result)


def test_the_help_on_content_names_every_field_of_every_category() -> None:
    told = content_help()

    assert (
        "runbook: trigger, steps[], verification; optional symptoms[], root_cause, environment" in told
    )
    assert "severity(high|medium|low), active(true|false)" in told
    assert "alternatives[]{option, rejected_reason}" in told


async def test_an_edit_changes_what_it_names_and_keeps_the_rest(
    connect: Connect, project: Recollect, keep: Keep
) -> None:
    keep("Sign a JWT at login")
    async with connect() as client:
        content = {"decision": "Sign a short JWT.", "consequences": ["Refresh often."]}
        done = await call(client, "memory_update", id=JWT, tags=["jwt"], content=content)
        same = await call(client, "memory_update", id=JWT, tags=["jwt"])
        nothing = await client.call_tool("memory_update", {"id": JWT})

    memory = project.get(JWT).memory
    assert (done["action"], same["action"]) == ("updated", "unchanged")
    assert memory.tags == ("jwt",)
    assert memory.content == CONTENT[Category.DECISION] | content
    assert memory.rows("changes")[-1]["summary"] == "Changed tags, content"
    assert text_of(nothing).startswith("nothing to change; pass some of title, tags, content")


async def test_an_edit_of_an_outdated_version_is_a_conflict(connect: Connect, keep: Keep) -> None:
    keep("Sign a JWT at login")
    async with connect() as client:
        read = await call(client, "memory_get", id=JWT)
        await call(client, "memory_update", id=JWT, tags=["jwt"], version=read["version"])
        late = await client.call_tool(
            "memory_update", {"id": JWT, "tags": ["x"], "version": read["version"]}
        )

    assert late.is_error
    assert "nothing was overwritten" in text_of(late)


async def test_a_memory_is_retired_archived_and_restored_with_a_reason(
    connect: Connect, project: Recollect, keep: Keep
) -> None:
    keep("Sign a JWT at login")
    async with connect() as client:
        for action, reason, status in (
            ("retire", "we use sessions", "retired"),
            ("restore", None, "active"),
            ("archive", "kept for the record", "archived"),
        ):
            given = {"reason": reason} if reason else {}
            await call(client, "memory_update", id=JWT, action=action, **given)
            assert project.get(JWT).memory.status == status
        without = await client.call_tool("memory_update", {"id": JWT, "action": "retire"})
        mixed = await client.call_tool("memory_update", {"id": JWT, "action": "restore", "title": "x"})

    assert text_of(without) == "action 'retire' needs a reason: why the memory is out of use."
    assert text_of(mixed) == "action 'restore' does not change fields; edit title first."


async def test_why_shows_links_with_evidence_and_what_superseded_the_memory(
    connect: Connect, keep: Keep, wall: Wall
) -> None:
    keep("Sign a JWT at login")
    keep("The May outage", Category.RUNBOOK)
    wall.move(days=1)
    keep("Use opaque sessions")
    async with connect() as client:
        sessions = "use-opaque-sessions"
        linked = await call(client, "memory_link", id=sessions, type="supersedes", target=JWT)
        why = {"type": "derived_from", "target": "the-may-outage", "evidence": "post-mortem"}
        await call(client, "memory_link", id=JWT, **why)
        result = await client.call_tool("memory_why", {"id": sessions})
        old = await call(client, "memory_why", id=JWT)

    assert linked["superseded"] == [JWT]
    assert [(step["reason"], step["depth"]) for step in structured(result)["steps"]] == [
        (JWT, 1),
        ("the-may-outage", 2),
    ]
    assert f"    {JWT} derived_from the-may-outage (The May outage): post-mortem" in text_of(result)
    assert old["valid"] is False
    assert old["superseded_by"] == [
        {"id": sessions, "title": "Use opaque sessions", "at": "2026-11-16T10:00:00Z"}
    ]


async def test_why_shows_what_contradicts_a_memory(connect: Connect, keep: Keep) -> None:
    keep("Sign a JWT at login")
    keep("Never sign tokens", links=[{"type": "contradicts", "target": JWT}])
    async with connect() as client:
        found = await call(client, "memory_why", id=JWT)

    edge = {"from": "never-sign-tokens", "type": "contradicts", "to": JWT}
    assert found["contradictions"] == [edge | {"title": "Never sign tokens"}]


@requirement("server:budget:cursor")
async def test_a_memory_that_does_not_fit_is_read_in_parts(connect: Connect, keep: Keep) -> None:
    long = [f"Because of reason number {n}, which takes a line to tell." for n in range(100)]
    keep("Sign a JWT at login", content={"rationale": long, "context": "A long story. " * 300})
    parts: list[dict[str, Any]] = []
    arguments: dict[str, Any] = {"id": JWT, "max_tokens": 500}
    async with connect() as client:
        whole = await call(client, "memory_get", id=JWT, max_tokens=20_000)
        while True:
            found = await call(client, "memory_get", **arguments)
            parts.append(found["fields"])
            assert budget.tokens(found["fields"]) < 600
            if "cursor" not in found:
                break
            arguments = {"cursor": found["cursor"]}

    rows = {name: value for part in parts for name, value in part.items()}
    content = whole["memory"]["content"]
    assert [rows[f"content.rationale[{n}]"] for n in range(100)] == content["rationale"]
    context = [value for name, value in rows.items() if name.startswith("content.context (")]
    assert "".join(context) == content["context"]
    assert rows["title"] == whole["memory"]["title"]
    assert len(parts) > 3


async def test_a_memory_is_shown_with_the_state_of_its_anchors(connect: Connect, folder: Path) -> None:
    (folder / "auth.py").write_text("one\n")
    async with connect() as client:
        saved = await call(client, "memory_save", **decision("Tabs", anchors=["auth.py"]))
        (folder / "auth.py").write_text("two\n")
        found = await call(client, "memory_get", id=saved["id"])

    assert found["anchors"] == [{"path": "auth.py", "verdict": "drifted"}]


async def test_health_shows_what_the_doctor_finds(connect: Connect, keep: Keep, folder: Path) -> None:
    keep("Sign a JWT at login")
    (folder / ".claude" / "memory" / "decisions" / "broken.json").write_text("{")
    async with connect() as client:
        result = await client.call_tool("memory_health", {})
        few = await call(client, "memory_health", max_tokens=1)

    found = structured(result)
    assert found["healthy"] is False
    assert found["memories"] == 1
    assert any(row.get("path", "").endswith("broken.json") for row in found["findings"])
    assert "Memories: 1, not healthy. Embedding model: none." in text_of(result)
    assert len(few["findings"]) <= len(found["findings"])


@requirement("server:save:sentence")
async def test_one_sentence_is_enough_and_the_answer_says_what_it_became(
    connect: Connect, project: Recollect
) -> None:
    sentence = "We deploy on Tuesdays only, because support is thin on Fridays"
    async with connect() as client:
        result = await client.call_tool("memory_save", {"sentence": sentence})

    saved = project.get(structured(result)["id"]).memory
    assert (saved.category, saved.title) == (Category.CONSTRAINT, "We deploy on Tuesdays only")
    assert saved.content["rule"] == sentence
    assert saved.source == {"kind": "agent"}
    assert "derived: constraint; tags tuesdays" in text_of(result)


async def test_fields_beside_a_sentence_replace_what_is_derived(
    connect: Connect, project: Recollect
) -> None:
    async with connect() as client:
        saved = await call(
            client, "memory_save", sentence="Use tabs.", category="decision", title="Tabs it is"
        )

    memory = project.get(saved["id"]).memory
    assert (memory.category, memory.title) == (Category.DECISION, "Tabs it is")
    assert memory.content["decision"] == "Use tabs"


@requirement("server:save:sentence")
async def test_a_sentence_that_may_contradict_a_memory_is_not_written(
    connect: Connect, project: Recollect
) -> None:
    async with connect() as client:
        old = await call(client, "memory_save", sentence="Indent with tabs.")
        new = await call(client, "memory_save", sentence="Indent with spaces.")
        replaced = await call(
            client, "memory_save", sentence="Indent with spaces.", supersedes=[old["id"]]
        )

    assert (new["action"], new["id"]) == ("contradiction", old["id"])
    assert "'spaces' instead of 'tabs'" in new["advice"]
    assert replaced["superseded"] == [old["id"]]


async def test_without_a_sentence_every_field_is_required(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("memory_save", {"title": "Tabs"})

    assert result.is_error
    assert "category: is missing" in text_of(result)
    assert "content: is missing" in text_of(result)


@requirement("server:review:propose")
async def test_an_agent_proposes_and_lists_and_a_person_keeps(
    connect: Connect, project: Recollect
) -> None:
    async with connect() as client:
        proposed = await call(client, "memory_save", sentence="Never use zwickmuehle.", propose=True)
        found = await call(client, "memory_search", query="zwickmuehle")
        waiting = await call(client, "memory_health", review=True)

    assert proposed["action"] == "proposed"
    assert found["total"] == 0
    assert [(row["kind"], row["title"]) for row in waiting["findings"]] == [
        ("draft", "Never use zwickmuehle")
    ]
    assert project.sessions.drafts.get(proposed["id"]).document["source"] == {"kind": "agent"}
