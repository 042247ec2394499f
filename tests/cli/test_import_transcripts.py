"""`import transcripts`, `search --sessions` and `session prune` as commands."""

from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.importing.past_transcripts import GOAL, RULE, claude_file, codex_file
from tests.requirements import requirement


@pytest.fixture
def talked(cli: Cli) -> Cli:
    """A project with a past session of Claude Code."""
    claude_file(Path(cli.env["HOME"]), cli.folder)
    return cli


@requirement("importing:transcripts:dry-run")
def test_a_dry_run_shows_each_session_with_its_drafts_and_how_to_import(talked: Cli) -> None:
    out = talked.ok("import", "transcripts").out

    assert f"  + 2026-03-01 claude-code {GOAL}  3 drafts\n" in out
    assert f"      session_summary Session: {GOAL}\n" in out
    assert out.endswith("Would import 1 session with 3 drafts. Run it with --yes to import.\n")
    assert not (talked.root / ".recollect" / "drafts").exists()


def test_an_import_says_how_to_search_and_to_review_and_a_second_one_that_it_is_done(
    talked: Cli,
) -> None:
    out = talked.ok("import", "transcripts", "--yes").out
    again = talked.ok("import", "transcripts", "--yes", "--json").json()

    assert "Imported 1 session with 3 drafts. recollect search --sessions searches them." in out
    assert "recollect review" in out
    assert mismatches(again, SHAPES["import"]) == []
    assert (again["kind"], again["created"], again["skipped"], again["drafts"]) == (
        "transcripts",
        0,
        1,
        0,
    )


@requirement("importing:sessions:search")
def test_past_sessions_are_searched_apart_from_memories(talked: Cli) -> None:
    talked.ok("import", "transcripts", "--yes")

    out = talked.ok("search", "--sessions", "nightly", "build").out
    found = talked.ok("search", "--sessions", "nightly", "--json").json()

    assert out.splitlines()[0] == f"said {RULE}"
    assert "2026-03-01 claude-code session 5f2c-claude, line 7" in out
    assert mismatches(found, SHAPES["search"]) == []
    assert [row["line"] for row in found["sessions"]] == [7]
    assert talked.ok("search", "nightly", "--json").json()["total"] == 0
    assert "No past session" in talked.ok("search", "--sessions", "kubernetes").out


def test_options_that_do_not_go_together_are_refused(talked: Cli) -> None:
    wrong = [
        (("import", "transcripts", "--as", "adr"), "cannot be combined with transcripts"),
        (("import", "transcripts", "--harness", "vim"), "'vim' has no transcripts"),
        (("import", "docs", "--harness", "codex"), "need `recollect import transcripts`"),
        (("search", "--sessions", "x", "--tag", "y"), "--sessions can only be combined with --limit"),
    ]
    for words, text in wrong:
        done = talked(*words)
        assert done.exit_code == 5
        assert text in done.err


def test_only_some_harnesses_and_days_are_read(talked: Cli) -> None:
    codex_file(Path(talked.env["HOME"]), talked.folder)

    def created(*words: str) -> int:
        return int(talked.ok("import", "transcripts", "--json", *words).json()["created"])

    assert created() == 2
    assert created("--harness", "codex") == 1
    assert created("--since", "2026-03-02") == 1


def test_old_past_sessions_are_pruned(talked: Cli) -> None:
    talked.ok("import", "transcripts", "--yes")

    kept = talked.ok("session", "prune", "--before", "2026-01-01", "--json").json()
    out = talked.ok("session", "prune", "--before", "now").out

    assert mismatches(kept, SHAPES["session prune"]) == []
    assert kept == {"pruned": 0}
    assert out == "deleted 1 past session\n"
    assert "No past session" in talked.ok("search", "--sessions", "nightly").out


def test_the_measurement_prints_the_documented_shape(bare: Cli) -> None:
    done = bare.ok("bench", "transcripts", "--sessions", "1", "--megabytes", "1", "--json")

    assert mismatches(done.json(), SHAPES["bench transcripts"]) == []
