"""The table of files that Recollect writes: nothing else is written, and each line is true, its mode too."""

import os
import re
import shutil
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.conftest import bare
from tests.cli.running import Cli
from tests.hook.conftest import Harness
from tests.requirements import requirement
from tests.server.running import OLD, raw_client, until
from tests.storage.models.shared import tiny_model

from recollect.agents.harnesses import NAMES
from recollect.app.opening import open_project
from recollect.errors import ConflictError
from recollect.records.categories import Category

__all__ = ["bare"]

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "security.md").read_text("utf-8")
TABLES = ("root", "state", "data", "cache", "elsewhere")
BROKER = "tests/upstreams/test_broker.py::test_the_socket_is_its_users_alone"
RECOVERY = "tests/e2e/test_faults.py::test_recovery_that_meets_a_read_error"
LOGS = "tests/upstreams/test_guardian.py"
# What the run below leaves no file for, and the test that sees one.
SEEN_ELSEWHERE = {
    ".*.recollect-tmp": "tests/e2e/test_crashes.py::test_after_a_crash_the_next_save_works_without_waiting",
    "project-id": "tests/cli/test_setup.py::test_init_without_git_pins_the_name_of_the_project",
    "vault/*/": "tests/storage/files/test_vault.py::test_only_the_owner_may_read_a_result",
    "runs/*.lock": "tests/conformance/test_journal.py::test_a_lease_is_for_one_at_a_time",
    "writing": f"{RECOVERY}_is_finished_by_the_next_command",
    "copying": "tests/storage/files/test_put_files.py::test_files_of_a_killed_copy_bring_nothing_about",
    "unsettled": f"{RECOVERY}_is_finished_by_the_next_command",
    "hook.log.1": "tests/hook/test_log.py::test_a_full_log_is_set_aside_and_one_old_log_is_kept",
    "gateway-logs/*.log.1": f"{LOGS}::test_a_flood_of_errors_keeps_the_log_small_and_its_end",
}
SEEN_ELSEWHERE["code.key"] = "tests/app/test_guest_key.py::test_the_key_is_private_and_stays"
SEEN_ELSEWHERE["review.json"] = (
    "tests/web/test_review_api.py::test_what_is_seen_no_more_is_in_a_private_file"
)
SEEN_ELSEWHERE["noted-prompts/*.json"] = (
    "tests/hook/test_hook_statements.py"
    "::test_a_prompt_with_a_transcript_is_noted_and_drafted_when_the_session_pauses"
)
TAKEOVER = "tests/cli/test_gateway_takeover.py"
SEEN_ELSEWHERE["gateway-takeovers.json"] = f"{TAKEOVER}::test_the_record_of_a_takeover_is_private"
SEEN_ELSEWHERE |= dict.fromkeys(
    (".claude.json", "claude_desktop_config.json", "mcp.json", "config.toml", "settings.json"),
    f"{TAKEOVER}::test_the_files_of_every_harness_are_taken_over_and_restored",
)
SEEN_ELSEWHERE |= dict.fromkeys(("broker-*.sock", "broker-*.lock", "broker-*.lock.start"), BROKER)
SEEN_ELSEWHERE["gateway-logs/_broker.log"] = BROKER
NAMED_BY_THE_USER = {"export --to": "export.json", "graph --to": "graph.json"}
MODES = {"private": 0o600, "umask": 0o644, "as it was, else umask": 0o644}


class Line(NamedTuple):
    """A line of the guide: its table, patterns of paths below that table's folder, and their mode."""

    table: str
    patterns: tuple[str, ...]
    mode: str


class Written(NamedTuple):
    """A file of the run: the table that must list it, its path below that table's folder, and its mode."""

    table: str
    path: str
    mode: int


def guide() -> list[Line]:
    written = GUIDE.partition("\n## What Recollect writes\n")[2]
    tables = re.findall(r"(?:^\|.*\n)+", written, re.MULTILINE)
    return [
        Line(name, tuple(re.findall(r"`([^`]+)`", cells[1])), cells[2].strip())
        for name, table in zip(TABLES, tables, strict=True)
        for cells in (row.split("|") for row in table.splitlines()[2:])
    ]


def matches(path: str, pattern: str) -> bool:
    pattern = NAMED_BY_THE_USER.get(pattern, pattern.replace("PROJECT", "shop"))
    return fnmatch(path, f"{pattern}*" if pattern.endswith("/") else pattern)


@dataclass(slots=True)
class Run:
    """A project in which everything that writes is done once."""

    cli: Cli
    written: set[Written] = field(default_factory=set)

    def look(self) -> None:
        """Note the files that are there now."""
        home, state = Path(self.cli.env["HOME"]), self.cli.root / ".recollect"
        folders = {
            "state": state,
            "root": self.cli.root,
            "data": home / ".local" / "share" / "recollect",
            "cache": home / ".cache" / "recollect",
        }
        for path in (*self.cli.folder.rglob("*"), *home.rglob("*")):
            below = (name for name, folder in folders.items() if path.is_relative_to(folder))
            name = next(below, "elsewhere")
            within = folders.get(name, self.cli.folder)
            if not path.is_dir() and ".git/" not in f"{path}":
                shown = os.path.relpath(path, within)
                with suppress(
                    FileNotFoundError
                ):  # SQLite removes its files when the last process leaves
                    self.written.add(Written(name, shown, stat.S_IMODE(path.lstat().st_mode)))

    def work(self, tiny: Path) -> None:
        cli = self.cli
        (cli.folder / ".claude").mkdir()
        (cli.folder / ".claude" / "settings.json").write_text("{}")
        cli.ok("init", "--yes", *(word for name in NAMES for word in ("--harness", name)))
        for category in Category:
            cli.save(f"A {category.value} of ours", "--allow-duplicate", category=category)
        cli.ok("search", "ours")
        cli.save("Tabs", "--user")
        cli.ok("model", "install", "mine", "--from", str(tiny))
        cli.ok("model", "use", "mine")
        cli.ok("search", "ours")
        cli.ok("backup")
        for name in ("export", "graph export --format json"):
            cli.ok(*name.split(), "--to", f"{name.split()[0]}.json")
        cli.ok("gateway", "add", "time", "--", sys.executable, "-m", "mcp_server_time")
        cli.ok("gateway", "update", "time")
        self.converse()
        with raw_client(cli.folder, cli.env, OLD) as client:
            client.begin()
            until(cli.root / ".recollect" / "hook.sock")
            self.look()
        self.lose_a_conflict()
        self.spoil_databases()
        self.look()

    def converse(self) -> None:
        patient = {**self.cli.env, "RECOLLECT_HOOK_PATIENCE": "20"}
        harness = Harness(self.cli.folder, patient)
        harness.prompt("how do we sign in?")
        harness.send("PostToolUse", tool_name="Edit", tool_input={"file_path": "src/login.py"})
        harness.send("Stop")
        self.look()
        settings = self.cli.root / "memory-config.json"
        before = settings.read_text()
        settings.write_text("[")
        harness.send("UserPromptSubmit", prompt="and now?")
        settings.write_text(before)

    def lose_a_conflict(self) -> None:
        memories = open_project(self.cli.folder, env=self.cli.env).memories
        old = memories.get("a-decision-of-ours")
        memories.edit(old.memory.id, lambda _: {"tags": ["one"]}, "first")
        with pytest.raises(ConflictError):
            memories.replace(old, lambda _: {"tags": ["two"]}, "second")

    def spoil_databases(self) -> None:
        state = self.cli.root / ".recollect"
        (state / "index.db").write_bytes(b"no database" * 1000)
        self.cli.ok("search", "ours")
        shutil.copy(state / "state.db", state / "copy")
        (state / "copy").replace(state / "state.db")
        self.cli.ok("session")
        (state / "index.db").unlink()
        (state / "index.db").symlink_to("elsewhere")
        self.cli.ok("search", "ours")


@requirement("docs:security:files-listed")
def test_the_tables_list_exactly_the_files_that_are_written(bare: Cli, tmp_path: Path) -> None:
    before = os.umask(0o022)
    bare.git("init", "-q")
    git = contents(bare.folder / ".git")
    run = Run(bare)
    try:
        run.work(tiny_model(tmp_path / "tiny"))
    finally:
        os.umask(before)

    listed = {file: line for file in run.written for line in guide() if lists(line, file)}
    assert sorted(run.written - listed.keys()) == []
    wrong = [file for file, line in listed.items() if MODES.get(line.mode, file.mode) != file.mode]
    assert wrong == []
    unseen = [
        pattern
        for line in guide()
        for pattern in line.patterns
        if not any(file.table == line.table and matches(file.path, pattern) for file in run.written)
    ]
    assert set(unseen) <= SEEN_ELSEWHERE.keys() | {".git/config"}
    after = contents(bare.folder / ".git")
    assert {name for name in git.keys() | after.keys() if git.get(name) != after.get(name)} == {
        "config"
    }


@pytest.mark.parametrize("pattern", SEEN_ELSEWHERE)
def test_a_line_that_this_run_does_not_see_names_a_test_that_does(pattern: str) -> None:
    path, name = SEEN_ELSEWHERE[pattern].split("::")

    assert any(pattern in line.patterns for line in guide())
    assert f"def {name}(" in (ROOT / path).read_text("utf-8")


def lists(line: Line, file: Written) -> bool:
    return line.table == file.table and any(matches(file.path, pattern) for pattern in line.patterns)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
