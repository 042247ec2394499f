"""`review`: one queue, as a list, as commands, and as a screen of a real terminal."""

import json
import signal
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.cli.terminal import terminal
from tests.requirements import requirement
from tests.samples import CONTENT

from recollect.cli.exits import Exit
from recollect.records.categories import Category
from recollect.records.memories import Memories
from recollect.views.review import DecidedOutput, ReviewOutput


def draft(cli: Cli, session: str = "s1", title: str = "Moved the parser") -> str:
    """A drafted summary, as a hook leaves it; its name."""
    document = {
        "category": "session_summary",
        "title": title,
        "tags": ["parser"],
        "source": {"kind": "tool", "session": session},
        "content": CONTENT[Category.SESSION_SUMMARY],
    }
    folder = cli.root / ".recollect" / "drafts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"session-{session}.json").write_text(json.dumps(document))
    return f"session-{session}"


def waiting(cli: Cli) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = cli.ok("review", "--json").json()["items"]
    return items


@requirement("cli:review:list")
def test_everything_that_waits_is_listed_with_a_key_and_what_can_be_done(cli: Cli) -> None:
    draft(cli)
    cli.save("Indent with tabs", content={"decision": "Tabs."})
    cli.save("Indent with spaces", "--allow-duplicate", content={"decision": "Spaces."})
    cli.ok("link", "indent-with-spaces", "contradicts", "indent-with-tabs")

    done = cli.ok("review", "--json")

    assert mismatches(done.json(), ReviewOutput) == []
    assert {"draft", "contradiction"} <= {item["kind"] for item in done.json()["items"]}
    only = cli.ok("review", "list", "--kind", "draft")
    assert "Moved the parser" in only.out
    assert "keep: save it as a memory" in only.out
    assert "contradicts" not in only.out
    unknown = cli("review", "--kind", "dreams", "--json")
    assert "choose one of approval, " in unknown.json()["error"]


@requirement("cli:review:acts")
def test_a_draft_is_kept_and_taken_back_by_commands(cli: Cli) -> None:
    draft(cli)
    [item] = waiting(cli)

    kept = cli.ok("review", "keep", item["key"], "--json")

    assert mismatches(kept.json(), DecidedOutput) == []
    assert cli.memory("moved-the-parser")["source"] == {"kind": "user", "session": "s1"}
    assert waiting(cli) == []
    assert "is waiting again" in cli.ok("review", "undo").out
    assert cli("show", "moved-the-parser").exit_code == Exit.NOT_FOUND
    assert [item["title"] for item in waiting(cli)] == ["Moved the parser"]
    assert "no decision" in cli.ok("review", "undo").out


@requirement("cli:review:proportional")
def test_deciding_about_one_thing_reads_no_other_memory(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft(cli)
    cli.put(id="first", title="First", pinned_at="2020-01-01T00:00:00Z")
    cli.save("Indent with tabs", content={"decision": "Tabs."})
    [summary] = cli.ok("review", "--kind", "draft", "--json").json()["items"]

    def refuse(_: Memories) -> None:
        raise AssertionError("every memory is read")

    monkeypatch.setattr(Memories, "scan", refuse)
    cli.ok("review", "drop", summary["key"])
    [pin] = cli.ok("review", "--kind", "pin", "--json").json()["items"]
    cli.ok("review", "keep", pin["key"])

    assert cli.ok("review", "--kind", "pin", "--json").json()["items"] == []


def test_several_are_dropped_at_once_and_an_unknown_key_drops_none(cli: Cli) -> None:
    draft(cli, "s1")
    draft(cli, "s2", "Fixed the queue")
    keys = [item["key"] for item in waiting(cli)]

    assert cli("review", "drop", keys[0], "00000000").exit_code == Exit.NOT_FOUND
    assert len(waiting(cli)) == 2
    cli.ok("review", "drop", *keys)
    assert waiting(cli) == []


def test_a_draft_is_merged_into_a_memory_of_its_category(cli: Cli) -> None:
    draft(cli)
    cli.save(
        "Began with the parser", category=Category.SESSION_SUMMARY, content={"completed": ["Read it."]}
    )
    [item] = [item for item in waiting(cli) if item["kind"] == "draft"]

    cli.ok("review", "merge", item["key"], "--into", "began-with-the-parser")

    assert cli.memory("began-with-the-parser")["content"]["completed"] == [
        "Read it.",
        "Wrote the tests.",
    ]


@requirement("cli:review:hidden")
def test_what_waits_is_not_found_by_search_and_not_given_to_a_prompt(cli: Cli) -> None:
    draft(cli, title="The Zwickmuehle parser moved")

    assert cli.ok("search", "Zwickmuehle", "--json").json()["count"] == 0
    assert cli.ok("search", "Zwickmuehle parser", "--mode", "auto", "--json").json()["count"] == 0


@requirement("cli:review:screen")
@pytest.mark.parametrize("columns", [60, 160])
def test_the_screen_decides_by_keyboard_and_fits_the_terminal(cli: Cli, columns: int) -> None:
    draft(
        cli, "s1", "Moved the parser into a module of its own, which took longer than anybody thought"
    )
    draft(cli, "s2", "Fixed the queue")
    with terminal(cli, "review", COLUMNS=str(columns)) as screen:
        screen.resize(columns, 20)
        screen.wait_for("1 of 2")
        screen.press("?")
        screen.wait_for("later: leave it and continue")
        screen.press("x")
        screen.press("j")
        screen.wait_for("2 of 2")
        screen.press("y")
        screen.wait_for("Saved as fixed-the-queue")
        screen.press("u")
        screen.wait_for("Undone: Fixed the queue")
        screen.press("d")
        screen.wait_for("Dropped the draft")
        assert screen.finish("q") == 0

    assert "1 decision made, 1 still waiting" in screen.shown
    assert screen.raw.index("\x1b[?1049h") < screen.raw.index("\x1b[?1049l")
    assert [item["id"] for item in waiting(cli)] == ["session-s1"]


@requirement("cli:review:restores")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_terminal_is_restored_when_the_review_is_ended(cli: Cli, number: signal.Signals) -> None:
    draft(cli)
    with terminal(cli, "review") as screen:
        screen.wait_for("1 of 1")
        screen.process.send_signal(number)
        screen.finish()

    assert screen.raw.rindex("\x1b[?1049l") > screen.raw.rindex("\x1b[?1049h")
    assert screen.raw.rindex("\x1b[?25h") > screen.raw.rindex("\x1b[?25l")


def test_an_edit_opens_the_editor_and_the_draft_waits_on(cli: Cli) -> None:
    draft(cli)
    editor = cli.folder / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/Moved the parser/Moved it/" "$1"\n')
    editor.chmod(0o755)
    with terminal(cli, "review", EDITOR=str(editor)) as screen:
        screen.wait_for("1 of 1")
        screen.press("e")
        screen.wait_for("Changed the draft")
        assert screen.finish("q") == 0

    assert [item["title"] for item in waiting(cli)] == ["Moved it"]
