"""Runs in `state.db`: the SQLite adapters of `Journal` and `Grants`."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import LockedError, StoreError, UnwritableError
from recollect.storage.files.lock import exclusive
from recollect.storage.private import make_folder
from recollect.workflow.commands import Command
from recollect.workflow.events import (
    CommandApplied,
    CommandRefused,
    JournalEntry,
    event_fields,
    event_name,
    event_of,
)
from recollect.workflow.grants import Grant
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunStatus

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection

_ENDED = "('succeeded', 'partial', 'failed', 'aborted')"
_RECORD = (
    "SELECT id, intent, status, started_at, changed_at,"
    " (SELECT coalesce(max(number), 0) FROM run_event WHERE run = run.id) FROM run"
)


class SqliteJournal:
    """A row for each event. The lease of a run is a lock on a file of the folder `leases`."""

    def __init__(self, db: "StateConnection", leases: Path) -> None:
        self._db, self._leases = db, leases

    def begin(self, run: str, intent: str, first: JournalEntry) -> None:
        with self._db.transaction():
            if self._db.rows("SELECT 1 FROM run WHERE id = ?", (run,)):
                raise StoreError(f"a run {run!r} already exists.")
            values = (run, intent, first.at, first.at)
            self._db.rows("INSERT INTO run VALUES (?, ?, 'running', ?, ?)", values)
            self._db.rows("INSERT INTO run_event VALUES (?, ?, ?, ?, ?)", _row(run, first))

    def append(
        self, run: str, entries: Sequence[JournalEntry], status: RunStatus, *, sync: bool = False
    ) -> None:
        if not entries:
            return
        rows = [_row(run, entry) for entry in entries]
        settled = [
            (entry.event.id,)
            for entry in entries
            if isinstance(entry.event, CommandApplied | CommandRefused)
        ]
        with self._db.transaction(sync=sync):
            [(last,)] = self._db.rows(
                "SELECT coalesce(max(number), 0) FROM run_event WHERE run = ?", (run,)
            )
            if last != entries[0].number - 1:
                raise UnwritableError(
                    f"the run {run!r} has {last} events, but {entries[0].number} should be the next: another "
                    "process is continuing it."
                )
            self._db.write_many("INSERT INTO run_event VALUES (?, ?, ?, ?, ?)", rows)
            self._db.write_many("DELETE FROM run_command WHERE id = ?", settled)
            self._db.rows(
                "UPDATE run SET status = ?, changed_at = ? WHERE id = ?", (status, entries[-1].at, run)
            )

    def entries(self, run: str, after: int = 0, limit: int = 1_000_000) -> Sequence[JournalEntry]:
        rows = self._db.rows(
            "SELECT number, at, name, content FROM run_event WHERE run = ? AND number > ?"
            " ORDER BY number LIMIT ?",
            (run, after, limit),
        )
        return [_entry(*row) for row in rows]

    def get(self, run: str) -> RunRecord | None:
        rows = self._db.rows(f"{_RECORD} WHERE id = ?", (run,))
        return RunRecord(*rows[0]) if rows else None

    def runs(self, limit: int) -> Sequence[RunRecord]:
        return [
            RunRecord(*row)
            for row in self._db.rows(f"{_RECORD} ORDER BY changed_at DESC, id LIMIT ?", (limit,))
        ]

    @contextmanager
    def lease(self, run: str) -> Iterator[None]:
        make_folder(self._leases)
        path = self._leases / f"{run}.lock"
        try:
            with exclusive(path, wait=0.0):
                yield
        except LockedError:
            raise LockedError(f"the run {run!r} is running in another process.") from None

    def send(self, run: str, command: Command, at: str) -> None:
        content = json.dumps([command.name, command.arguments, command.by, command.door])
        with self._db.transaction():
            self._db.rows(
                "INSERT OR IGNORE INTO run_command VALUES (?, ?, ?, ?)", (command.id, run, at, content)
            )

    def waiting(self, run: str) -> Sequence[Command]:
        rows = self._db.rows(
            "SELECT id, content FROM run_command WHERE run = ? ORDER BY sent_at, rowid", (run,)
        )
        return [Command(id, *json.loads(content)) for id, content in rows]

    def prune(self, before: str, most: int) -> int:
        with self._db.transaction():
            old = self._db.rows(
                f"SELECT id FROM run WHERE status IN {_ENDED} AND (changed_at < ? OR id NOT IN"
                f" (SELECT id FROM run WHERE status IN {_ENDED} ORDER BY changed_at DESC LIMIT ?))",
                (before, most),
            )
            for (run,) in old:
                (self._leases / f"{run}.lock").unlink(missing_ok=True)
            for table, column in (("run_event", "run"), ("run_command", "run"), ("run", "id")):
                self._db.write_many(f"DELETE FROM {table} WHERE {column} = ?", old)
        return len(old)


class SqliteGrants:
    """A row for each grant."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def add(self, grant: Grant) -> None:
        arguments = json.dumps(dict(grant.arguments))
        row = (grant.id, grant.tool, arguments, grant.uses, grant.expires, grant.by)
        with self._db.transaction():
            self._db.rows("INSERT INTO run_grant VALUES (?, ?, ?, ?, ?, ?)", row)

    def of(self, tool: str) -> Sequence[Grant]:
        rows = self._db.rows(
            "SELECT id, tool, arguments, uses, expires, by FROM run_grant WHERE tool = ?"
            " ORDER BY expires, id",
            (tool,),
        )
        return [Grant(id, tool, json.loads(text), *rest) for id, tool, text, *rest in rows]

    def use(self, id: str, now: str) -> bool:
        with self._db.transaction():
            changed = self._db.rows(
                "UPDATE run_grant SET uses = uses - 1, expires = iif(uses = 1, ?1, expires)"
                " WHERE id = ?2 AND uses > 0 AND expires > ?1 RETURNING id",
                (now, id),
            )
        return bool(changed)

    def prune(self, before: str) -> int:
        with self._db.transaction():
            return len(self._db.rows("DELETE FROM run_grant WHERE expires < ? RETURNING id", (before,)))

    def remove(self, id: str) -> bool:
        with self._db.transaction():
            return bool(self._db.rows("DELETE FROM run_grant WHERE id = ? RETURNING id", (id,)))


def _row(run: str, entry: JournalEntry) -> tuple[object, ...]:
    content = json.dumps([event_fields(entry.event), list(entry.redacted)], separators=(",", ":"))
    return run, entry.number, entry.at, event_name(entry.event), content


def _entry(number: int, at: str, name: str, content: str) -> JournalEntry:
    fields: Any
    fields, redacted = json.loads(content)
    return JournalEntry(number, at, event_of(name, fields), tuple(redacted))
