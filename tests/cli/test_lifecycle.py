"""`retire`, `restore`, `archive` and `gc`."""

import pytest
from tests.cli.running import Cli

from recollect.records.categories import Category

ID = "sign-a-jwt-at-login"


def test_a_memory_is_retired_restored_archived_and_restored(cli: Cli) -> None:
    cli.save()

    retired = cli.ok("retire", ID, "--reason", "Sessions won", "--json").json()
    assert retired["action"] == "updated"
    memory = cli.memory(ID)
    assert (memory["record_status"], memory["retired_reason"]) == ("retired", "Sessions won")
    assert ID not in (cli.root / "index.md").read_text()

    cli.ok("restore", ID)
    assert cli.memory(ID)["record_status"] == "active"
    assert "retired_reason" not in cli.memory(ID)
    assert ID in (cli.root / "index.md").read_text()

    cli.ok("archive", ID, "-r", "Done")
    assert cli.memory(ID)["archived_reason"] == "Done"
    cli.ok("restore", ID)
    summaries = [change["summary"] for change in cli.memory(ID)["changes"]]
    assert summaries == ["Retired: Sessions won", "Restored", "Archived: Done", "Restored"]


@pytest.mark.parametrize("again", [("restore",), ("retire", "-r", "x"), ("archive", "-r", "x")])
def test_going_where_a_memory_is_already_is_refused(cli: Cli, again: tuple[str, ...]) -> None:
    cli.save()
    command, *options = again
    if command != "restore":
        cli.ok(command, ID, *options)
    before = cli.ok("show", ID, "--json").json()["version"]

    done = cli(command, ID, *options)

    assert done.exit_code == 5
    state = {"restore": "active", "retire": "retired", "archive": "archived"}[command]
    assert f"is already {state}; nothing was changed" in done.err
    assert cli.ok("show", ID, "--json").json()["version"] == before


@pytest.mark.parametrize("command", ["retire", "archive"])
def test_a_reason_is_asked_for(cli: Cli, command: str) -> None:
    cli.save()

    done = cli(command, ID)

    assert done.exit_code == 2
    assert "--reason" in done.err


def test_a_secret_in_a_reason_is_taken_out(cli: Cli) -> None:
    cli.save()
    cli.ok("retire", ID, "--reason", f"leaked ghp_{'a1B2' * 9}")

    assert cli.memory(ID)["retired_reason"] == "leaked [REDACTED]"


@pytest.fixture
def overdue(cli: Cli) -> Cli:
    """A project with a summary to retire, a memory to delete, and two that stay."""
    long_ago = "2020-01-01T00:00:00Z"
    cli.put(
        Category.SESSION_SUMMARY, id="old-summary", title="An old [b]summary[/b]", updated_at=long_ago
    )
    cli.put(id="long-retired", record_status="retired", retired_at=long_ago)
    cli.put(id="kept", updated_at=long_ago)
    cli.put(id="archived", record_status="archived", updated_at=long_ago)
    return cli


def statuses(cli: Cli) -> dict[str, str]:
    rows = cli.ok("list", "--status", "all", "--json").json()["memories"]
    return {row["id"]: row["status"] for row in rows}


@pytest.mark.parametrize(("answer", "code"), [("n\n", 0), ("", 130)])
def test_gc_shows_what_it_would_do_and_a_no_changes_nothing(
    overdue: Cli, answer: str, code: int
) -> None:
    before = statuses(overdue)

    done = overdue("gc", stdin=answer)

    assert done.exit_code == code
    assert "retire old-summary An old [b]summary[/b] (older than 90 days)" in done.out
    assert "delete long-retired" in done.out
    assert "retired more than 30 days ago" in done.out
    assert statuses(overdue) == before


@pytest.mark.parametrize(("options", "answer"), [(("--yes",), ""), ((), "y\n")])
def test_gc_retires_and_deletes_what_is_past_its_time(
    overdue: Cli, options: tuple[str, ...], answer: str
) -> None:
    done = overdue.ok("gc", *options, stdin=answer)

    assert "1 retired, 1 deleted" in done.out
    assert statuses(overdue) == {"old-summary": "retired", "kept": "active", "archived": "archived"}
    assert "No memory has expired." in overdue.ok("gc").out


def test_gc_as_json_only_shows_unless_told_to_act(overdue: Cli) -> None:
    shown = overdue.ok("gc", "--json").json()
    assert shown["applied"] is False
    assert [row["id"] for row in shown["retired"]] == ["old-summary"]
    assert [row["id"] for row in shown["deleted"]] == ["long-retired"]
    assert statuses(overdue)["old-summary"] == "active"

    done = overdue.ok("gc", "--json", "--yes").json()
    assert done == shown | {"applied": True}
    assert "long-retired" not in statuses(overdue)


def test_gc_keeps_what_the_configuration_keeps(overdue: Cli) -> None:
    overdue.ok("config", "delete.grace_period_days", "100000")
    overdue.ok("config", "categories.session_summary.retention_days", "0")

    assert "No memory has expired." in overdue.ok("gc").out


def test_gc_of_the_users_memories_leaves_the_projects_alone(overdue: Cli) -> None:
    assert overdue.ok("gc", "--user", "--yes", "--json").json()["deleted"] == []
    assert "long-retired" in statuses(overdue)
