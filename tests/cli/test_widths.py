"""The screens of the main commands on terminals of 60, 80 and 160 columns."""

import json
import re

import pytest
from rich.table import Table
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.cli.output import draw, say
from recollect.cli.run_picture import picture
from recollect.records.json_format import Json
from recollect.workflow import events
from recollect.workflow.reducer import reduced

WIDTHS = (60, 80, 160)
LONG = "queue-jobs-in-postgresql-instead-of-redis"
OTHER = "keep-jobs-in-redis-until-the-queue-is-large"
COMMANDS = (
    ("list",),
    ("list", "--status", "all"),
    ("search", "jobs in the queue"),
    ("search", "jobs in the queue", "--explain"),
    ("show", LONG),
    ("why", LONG),
    ("graph", "tree"),
    ("graph", "stats"),
    ("status",),
    ("doctor",),
    ("review", "list"),
    ("impact",),
    ("session",),
    ("run", "list"),
    ("model", "list"),
    ("rules", "list"),
    ("thresholds",),
    ("trace", "list"),
    ("gateway", "list"),
    ("gateway", "receipts"),
    ("capability", "list"),
    ("config",),
)
_BEGINNING = 12  # characters of an id that appear whenever it does, broken or not
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def story(cli: Cli) -> Cli:
    """A project with long ids, links, drift, a draft and servers, on a terminal without colours."""
    code = cli.folder / "client.py"
    code.write_text("RETRIES = 3\n")
    cli.put(
        id=OTHER, title="Keep jobs in Redis until the queue is large and a restart loses some of them"
    )
    cli.put(
        id=LONG,
        title="Queue jobs in PostgreSQL instead of Redis, because a restart lost the invoices of a day",
        tags=["queue", "postgresql", "invoices", "operations"],
    )
    evidence = "incident review of 12 June, action 2, in the minutes of the meeting"
    cli.ok("link", LONG, "supersedes", OTHER, "--evidence", evidence)
    cli.ok("edit", LONG, "--anchor", "client.py:1")
    code.write_text("RETRIES = 5\n")
    draft = {
        "category": "preference",
        "title": "Name tests as sentences that say what the code promises, and nothing else, please",
        "tags": ["tests"],
        "content": {"topic": "tests", "value": "Sentences.", "reason": "Read.", "strength": "default"},
    }
    drafts = cli.root / ".recollect" / "drafts"
    drafts.mkdir(parents=True, exist_ok=True)
    (drafts / "proposal-with-a-rather-long-name.json").write_text(json.dumps(draft))
    cli.ok("gateway", "add", "a-server-with-a-rather-long-name", "--url", "https://mcp.example.com/a")
    cli.ok("gateway", "add", "time", "--", "uvx", "mcp-server-time")
    cli.env |= {"TTY_COMPATIBLE": "1", "NO_COLOR": "1"}
    return cli


@requirement("cli:terminal:widths")
@pytest.mark.parametrize("width", WIDTHS)
def test_no_screen_is_wider_than_the_terminal_and_no_word_is_broken(story: Cli, width: int) -> None:
    for command in COMMANDS:
        story.env["COLUMNS"] = str(width)
        out = _STYLE.sub("", story(*command).out)

        too_wide = [line for line in out.split("\n") if len(line) > width and len(line.split()) > 1]
        assert too_wide == [], command
        for id in (LONG, OTHER, "a-server-with-a-rather-long-name"):
            assert out.count(id) == out.count(id[:_BEGINNING]), (command, id)


@requirement("cli:terminal:widths")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_fits_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks: list[Json] = [
        {"id": "read_the_changelog_of_the_release", "tool": "filesystem:read_text_file"},
        {
            "id": "write_the_release_notes",
            "tool": "filesystem:write_file",
            "needs": ["read_the_changelog_of_the_release"],
        },
    ]
    on_terminal(monkeypatch, width)

    draw(picture(reduced([events.RunStarted({"tasks": tasks}, False)])))

    out = _STYLE.sub("", capsys.readouterr().out)
    assert max(map(len, out.split("\n"))) <= width
    assert "read_the_changelog_of_the_release" in out
    assert "filesystem:write_file" in out


@requirement("cli:terminal:widths")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_of_members_fits_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_terminal(monkeypatch, width)
    table = Table("member", "role", "since", "last use", box=None, pad_edge=False, title="members")
    table.add_row("anna.with.a.long.name@example.org", "admin", "2026-01-31 10:00", "2026-02-01 11:00")

    draw(table)

    out = _STYLE.sub("", capsys.readouterr().out)
    assert max(map(len, out.split("\n"))) <= width
    for text in ("anna.with.a.long.name@example.org", "admin", "2026-02-01"):
        assert text in out


@requirement("cli:terminal:widths")
def test_a_line_wraps_between_words_below_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_terminal(monkeypatch, 40)

    say("tools   nine tools with many tokens in all of them")
    say("  an-id-that-is-longer-than-the-whole-terminal is not broken")

    assert _STYLE.sub("", capsys.readouterr().out).split("\n") == [
        "tools   nine tools with many tokens in",
        "        all of them",
        "  an-id-that-is-longer-than-the-whole-terminal",
        "    is not broken",
        "",
    ]


def on_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
