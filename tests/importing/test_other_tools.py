"""What other tools remember: each kind of theirs becomes a memory of ours, or is named as skipped."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importing.conftest import Write
from tests.requirements import requirement

from recollect.app import import_sources
from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.importing import (
    basic_memory,
    claude_mem,
    letta,
    mem0,
    memory_graph,
    rule_scope,
)
from recollect.importing import plan as importing
from recollect.importing.report import ImportAction, ImportReport
from recollect.importing.sources import SourceKind
from recollect.records.json_format import JsonObject

Bring = Callable[..., ImportReport]
LOST = "Redis lost jobs."
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def bring(project: Recollect) -> Bring:
    """Import a path and say what became of it."""

    def run(path: Path, kind: SourceKind | None = None) -> ImportReport:
        chosen = kind or import_sources.detect(path)
        gate = project.memories.gate
        parts = import_sources.read(path, chosen, base=project.folder, gate=gate)
        return importing.apply(importing.plan(parts, project.memories), project.memories)

    return run


def documents(project: Recollect) -> dict[str, JsonObject]:
    return {stored.memory.title: stored.memory.document for stored in project.memories.scan().stored}


def reasons(report: ImportReport) -> str:
    return "\n".join(f"{row.origin} {row.reason}" for row in report.of(ImportAction.SKIP))


GRAPH = [
    {
        "type": "entity",
        "name": "checkout-service",
        "entityType": "service",
        "observations": [
            "Never call it synchronously from the mobile app.",
            "It was written in 2021.",
            f"Always use the token {SECRET} in tests.",
        ],
    },
    {"type": "entity", "name": "empty", "entityType": "thing", "observations": []},
    {"type": "relation", "from": "checkout-service", "to": "orders", "relationType": "writes_to"},
]


@requirement("importing:tools:exports")
def test_observations_of_the_mcp_memory_server_become_memories_about_their_entity(
    bring: Bring, project: Recollect, write: Write
) -> None:
    text = "".join(json.dumps(row) + "\n" for row in GRAPH) + "not json\n"
    path = write("other", {"memory.jsonl": text}) / "memory.jsonl"

    assert import_sources.detect(path) is SourceKind.MEMORY_GRAPH
    report = bring(path)

    memories = documents(project)
    title = "checkout-service: Never call it synchronously from the mobile app"
    assert memories[title]["category"] == "constraint"
    assert "service" in memories[title]["tags"]  # type: ignore[operator]
    assert SECRET not in str(memories) + str(report)
    assert any(row.redacted for row in report.of(ImportAction.CREATE))
    skipped = reasons(report)
    assert "states a fact" in skipped
    assert "a relation (checkout-service writes_to orders)" in skipped
    assert "'empty' has no observations" in skipped
    assert "neither an entity nor a relation" in skipped
    assert not bring(path).of(ImportAction.CREATE)


@requirement("importing:tools:exports")
def test_memories_of_mem0_become_what_their_words_say(
    bring: Bring, project: Recollect, write: Write
) -> None:
    export = {
        "results": [
            {
                "id": "m1",
                "memory": "Prefer Vitest over Jest for new tests.",
                "categories": ["testing"],
                "created_at": "2025-07-01T10:00:00-07:00",
            },
            {"id": "m2", "memory": "Dev works at TechCorp"},
            {"id": "m3", "memory": ""},
        ],
        "relations": [{"source": "dev", "relationship": "works_at", "target": "techcorp"}],
    }
    path = write("other", {"mem0.json": json.dumps(export)}) / "mem0.json"

    report = bring(path)

    [memory] = documents(project).values()
    assert memory["category"] == "preference"
    assert memory["created_at"] == "2025-07-01T17:00:00Z"
    assert "testing" in memory["tags"]  # type: ignore[operator]
    skipped = reasons(report)
    assert "#m2 states a fact" in skipped
    assert "#m3 it has no text" in skipped
    assert "a relation (dev works_at techcorp)" in skipped


@pytest.mark.parametrize("older", [False, True])
@requirement("importing:tools:exports")
def test_rules_in_the_blocks_of_a_letta_agent_are_imported(
    older: bool, bring: Bring, project: Recollect, write: Write
) -> None:
    blocks = [
        {"label": "persona", "value": "You are a helpful agent. Always be kind.", "limit": 5000},
        {"label": "project", "value": "- Never deploy on Fridays.\n- The database is PostgreSQL."},
        {"label": "empty", "value": ""},
    ]
    agent: dict[str, Any] = {"name": "a", "system": "You are.", "messages": [{}, {}], "tools": [{}]}
    document: dict[str, Any] = (
        {**agent, "agent_type": "memgpt_agent", "core_memory": blocks}
        if older
        else {"agents": [{**agent, "block_ids": []}], "blocks": blocks, "groups": []}
    )
    path = write("other", {"helper.af": json.dumps(document)}) / "helper.af"

    assert import_sources.detect(path) is SourceKind.LETTA
    report = bring(path)

    assert "Never deploy on Fridays." in documents(project)
    assert "Always be kind" not in str(documents(project))
    skipped = reasons(report)
    for part in (
        "describes the agent itself",
        "a block without text",
        "2 messages",
        "1 tools",
        "#system",
    ):
        assert part in skipped


NOTE = """---
title: Coffee orders
type: note
permalink: shop/coffee-orders
tags: [orders, shop]
---

# Coffee orders

We sell coffee.

## Observations
- [decision] Orders are kept in PostgreSQL because a job is written with its order #storage
- [convention] Name queues after their consumer
- [fact] The shop opened in 2019
- [10:15] not an observation
- [x] done

## Relations
- part_of [[Shop]]
- [[Payments]]
"""


@requirement("importing:tools:exports")
def test_observations_of_basic_memory_become_memories_by_their_category(
    bring: Bring, project: Recollect, write: Write
) -> None:
    folder = write("notes", {"shop/coffee.md": NOTE, "plain.md": "# Plain\n\nText.\n", "a.txt": "x"})

    assert import_sources.detect(folder) is SourceKind.BASIC_MEMORY
    report = bring(folder)

    memories = documents(project)
    decision = memories["Coffee orders: Orders are kept in PostgreSQL"]
    assert decision["category"] == "decision"
    assert decision["content"]["rationale"] == ["a job is written with its order"]  # type: ignore[index,call-overload]
    assert {"storage", "orders", "shop"} <= set(decision["tags"])  # type: ignore[arg-type]
    assert memories["Coffee orders: Name queues after their consumer"]["category"] == "preference"
    assert len(memories) == 2
    skipped = reasons(report)
    for part in ("states a fact", "a relation (part_of Shop)", "a relation (links to Payments)"):
        assert part in skipped
    assert "outside observations" in skipped
    assert "a.txt not Markdown" in skipped
    assert not bring(folder).of(ImportAction.CREATE)


def claude_mem_database(path: Path, project: str, *, script: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, type TEXT,"
        " title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_modified TEXT,"
        " created_at TEXT);"
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, project TEXT, request TEXT,"
        " investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_edited TEXT,"
        " created_at TEXT);"
        "CREATE TABLE directives (id INTEGER PRIMARY KEY, scope TEXT, project TEXT, content TEXT,"
        " status TEXT, created_at TEXT);"
        "CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);"
        "CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN SELECT 1; END;"
    )
    at = "2026-01-05T10:00:00.000Z"
    observation = "INSERT INTO observations VALUES (?, 's', ?, ?, ?, '', ?, ?, ?, ?, ?)"
    facts, files = json.dumps(["It survives restarts"]), json.dumps(["shop/queue.py"])
    rows = [
        (
            1,
            project,
            "decision",
            "Jobs wait in PostgreSQL",
            facts,
            "Redis lost jobs.",
            '["queue"]',
            files,
            at,
        ),
        (2, project, "bugfix", "Fixed a bug", "[]", "", "[]", "not json", at),
        (3, "another", "decision", "Theirs", "[]", "", "[]", "[]", at),
        (4, project, "decision", "", "[]", "", "[]", "[]", at),
    ]
    db.executemany(observation, rows)
    db.execute(
        "INSERT INTO session_summaries VALUES (1, ?, 'Move the queue', 'Redis', 'It forgets', '- Moved it',"
        " 'Drop Redis', ?, ?)",
        (project, files, at),
    )
    directive = "INSERT INTO directives VALUES (?, ?, ?, ?, ?, ?)"
    db.execute(directive, (1, "global", None, f"Never log the key {SECRET}.", "active", at))
    db.execute(directive, (2, "global", None, "Never use tabs.", "archived", at))
    db.execute("INSERT INTO user_prompts VALUES (1, 'hello')")
    db.executescript(script)
    db.commit()
    db.close()
    return path


@requirement("importing:tools:exports")
def test_decisions_summaries_and_directives_of_claude_mem_are_imported(
    bring: Bring, project: Recollect, tmp_path: Path
) -> None:
    path = claude_mem_database(tmp_path / "claude-mem.db", project.folder.name)

    assert import_sources.detect(path) is SourceKind.CLAUDE_MEM
    report = bring(path)

    memories = documents(project)
    decision = memories["Jobs wait in PostgreSQL"]
    assert decision["content"] == {
        "status": "accepted",
        "context": LOST,
        "decision": "Jobs wait in PostgreSQL",
        "rationale": ["It survives restarts"],
    }
    assert decision["related_files"] == ["shop/queue.py"]
    assert decision["created_at"] == "2026-01-05T10:00:00Z"
    summary = memories["Session: Move the queue"]
    assert summary["content"]["next_actions"] == ["Drop Redis"]  # type: ignore[index,call-overload]
    [rule] = [each for each in memories.values() if each["category"] == "constraint"]
    assert SECRET not in str(memories) + str(report)
    assert "Never log the key" in str(rule["title"])
    skipped = reasons(report)
    for part in (
        "1 of type 'bugfix'",
        "1 rows of another project (another)",
        "a decision without a title",
        "1 prompts",
        "'archived'",
    ):
        assert part in skipped
    assert any("learned" in note for row in report.rows for note in row.notes)
    assert not bring(path).of(ImportAction.CREATE)


ENDLESS = (
    "DROP TABLE {0}; CREATE VIEW {0} AS WITH RECURSIVE n(id) AS"
    " (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;"
)


def planted(path: Path, project: Recollect, script: str) -> Path:
    claude_mem_database(path, project.folder.name)
    db = sqlite3.connect(path)
    db.executescript(script)
    db.close()
    return path


@requirement("importing:tools:hostile")
def test_a_view_in_the_place_of_a_table_is_not_read(
    bring: Bring, project: Recollect, tmp_path: Path
) -> None:
    tables = ("observations", "session_summaries", "directives", "user_prompts")
    script = "".join(ENDLESS.format(table) for table in tables)

    with pytest.raises(RefusedError, match="none of directives, observations"):
        bring(planted(tmp_path / "planted.db", project, script))
    one = bring(planted(tmp_path / "other.db", project, ENDLESS.format("observations")))

    assert "Session: Move the queue" in documents(project)
    assert not [row for row in one.rows if "observations" in row.origin]


@requirement("importing:tools:hostile")
def test_an_expression_in_the_place_of_a_column_is_not_evaluated(
    bring: Bring, project: Recollect, tmp_path: Path
) -> None:
    script = (
        "ALTER TABLE observations ADD COLUMN merged_into_project TEXT"
        " AS (printf('%.*c', 400000000, 'x'));"
    )

    bring(planted(tmp_path / "planted.db", project, script))

    assert "Jobs wait in PostgreSQL" in documents(project)


@requirement("importing:tools:hostile")
def test_files_that_are_no_plain_files_or_of_no_tool_are_refused(
    bring: Bring, project: Recollect, tmp_path: Path, write: Write
) -> None:
    real = claude_mem_database(tmp_path / "real.db", "x")
    link, pipe = tmp_path / "link.db", tmp_path / "pipe.json"
    link.symlink_to(real)
    os.mkfifo(pipe)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE things (id INTEGER)")
    other.close()
    folder = write(
        "odd",
        {"list.json": "[1, 2]", "deep.json": "[" * 100_000, "no.json": '{"memory": 1}', "a.af": "{"},
    )

    for path in (link, pipe, tmp_path / "other.db", *sorted(folder.iterdir())):
        with pytest.raises(RefusedError, match=path.name.replace(".", r"\.")):
            bring(path)
    with pytest.raises(RefusedError):
        bring(folder / "list.json", SourceKind.MEM0)
    with pytest.raises(RefusedError):
        bring(folder / "deep.json", SourceKind.LETTA)
    with pytest.raises(RefusedError):
        bring(folder / "list.json", SourceKind.CLAUDE_MEM)


@requirement("importing:tools:rules")
@pytest.mark.parametrize(
    ("path", "head"),
    [
        (
            ".cursor/rules/python.mdc",
            "description: Python\nglobs: shop/*.py, tests/**\nalwaysApply: false",
        ),
        (".github/instructions/python.instructions.md", 'applyTo: "shop/*.py,tests/**"'),
        (".windsurf/rules/python.md", "trigger: glob\nglobs: shop/*.py, tests/**"),
    ],
)
def test_rules_of_cursor_copilot_and_windsurf_keep_the_files_they_are_about(
    path: str, head: str, bring: Bring, project: Recollect, write: Write
) -> None:
    write("", {path: f"---\n{head}\n---\n\n# Python\n\n- Never use bare except.\n"})

    for source in (project.folder / path, (project.folder / path).parent):
        assert import_sources.detect(source) is SourceKind.RULES
    report = bring((project.folder / path).parent)

    [memory] = documents(project).values()
    assert memory["related_files"] == ["shop/*.py", "tests/**"]
    [created] = report.of(ImportAction.CREATE)
    assert created.notes == ("about shop/*.py, tests/**",)


@pytest.mark.parametrize("path", [".windsurfrules", ".cursorrules", ".github/copilot-instructions.md"])
def test_rules_for_all_files_are_about_none_in_particular(
    path: str, bring: Bring, project: Recollect, write: Write
) -> None:
    write("", {path: '---\napplyTo: "**"\n---\n- Never use bare except.\n'})

    bring(project.folder / path)

    [memory] = documents(project).values()
    assert "related_files" not in memory


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = ("results", "memory", "id", "relations", "blocks", "agents", "label", "value", "core_memory")


@requirement("importing:parsers:total")
@given(st.text(max_size=300), JSON, st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_document_of_another_tool_makes_a_parser_raise(
    text: str, value: Any, fields: dict[str, Any]
) -> None:
    list(basic_memory.read(text, "o"))
    list(memory_graph.read(text + json.dumps(value), "o"))
    list(mem0.read(fields, "o"))
    list(letta.read(fields, "o"))
    list(claude_mem.read([("observations", {**fields, "type": "decision", "project": "p"})], "o", "p"))
    rule_scope.patterns(text)
    (
        basic_memory.is_note(text),
        memory_graph.is_graph(text),
        mem0.rows_of(value),
        letta.is_agent_file(value),
    )
