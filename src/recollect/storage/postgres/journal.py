"""Runs and their events: the PostgreSQL adapter of `Journal`.

The row of a run has the number of its last event. An append moves it on, if it is where the writer thinks, so
that of two writers one is refused without a lock between them.
"""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from recollect.errors import StoreError, UnwritableError
from recollect.storage.postgres.leases import Leases
from recollect.storage.postgres.project_rows import ProjectRows
from recollect.workflow.commands import Command
from recollect.workflow.events import (
    CommandApplied,
    CommandRefused,
    JournalEntry,
    event_fields,
    event_name,
    event_of,
)
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunStatus

_ENDED = "status IN ('succeeded', 'partial', 'failed', 'aborted')"
_RECORD = (
    "SELECT id, intent, status, started_at, changed_at, events FROM run WHERE project = %(project)s"
)
_BEGIN = """
INSERT INTO run (project, id, intent, status, started_at, changed_at, events)
VALUES (%(project)s, %(run)s, %(intent)s, 'running', %(at)s, %(at)s, 1)
ON CONFLICT DO NOTHING RETURNING 1
"""
_MOVE = """
UPDATE run SET status = %(status)s, changed_at = %(at)s, events = %(last)s
WHERE project = %(project)s AND id = %(run)s AND events = %(before)s RETURNING 1
"""
_ADD = """
INSERT INTO run_event (project, run, number, at, name, content)
VALUES (%(project)s, %(run)s, %(number)s, %(at)s, %(name)s, %(content)s)
"""
_SYNC = """
SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit') = 'off'
"""
_SEND = """
INSERT INTO run_command (project, run, id, number, sent_at, content)
VALUES (%(project)s, %(run)s, %(id)s, %(number)s, %(at)s, %(content)s) ON CONFLICT DO NOTHING
"""
_PRUNE = f"""
DELETE FROM run WHERE project = %(project)s AND {_ENDED} AND (changed_at < %(before)s OR id NOT IN (
    SELECT id FROM run WHERE project = %(project)s AND {_ENDED} ORDER BY changed_at DESC LIMIT %(most)s))
RETURNING id
"""


class PostgresJournal:
    """A row for each event."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def begin(self, run: str, intent: str, first: JournalEntry) -> None:
        with self._rows.transaction(f"run/{run}"):
            if not self._rows.write(_BEGIN, run=run, intent=intent, at=first.at):
                raise StoreError(f"a run {run!r} already exists.")
            self._rows.write(_ADD, **_row(run, first))

    def append(
        self, run: str, entries: Sequence[JournalEntry], status: RunStatus, *, sync: bool = False
    ) -> None:
        if not entries:
            return
        settled = [
            entry.event.id
            for entry in entries
            if isinstance(entry.event, CommandApplied | CommandRefused)
        ]
        first, last = entries[0], entries[-1]
        with self._rows.transaction(f"run/{run}"):
            if sync:
                self._rows.write(_SYNC)
            moved = self._rows.write(
                _MOVE, run=run, status=status, at=last.at, last=last.number, before=first.number - 1
            )
            if not moved:
                raise UnwritableError(self._refusal(run, first.number))
            self._rows.write_many(_ADD, [_row(run, entry) for entry in entries])
            if settled:
                self._rows.write(
                    "DELETE FROM run_command"
                    " WHERE project = %(project)s AND run = %(run)s AND id = ANY(%(ids)s)",
                    run=run,
                    ids=settled,
                )

    def _refusal(self, run: str, number: int) -> str:
        record = self.get(run)
        events = record.events if record else 0
        return (
            f"the run {run!r} has {events} events, but {number} should be the next: another process "
            "is continuing it."
        )

    def entries(self, run: str, after: int = 0, limit: int = 1_000_000) -> Sequence[JournalEntry]:
        rows = self._rows.read(
            "SELECT number, at, name, content FROM run_event WHERE project = %(project)s"
            " AND run = %(run)s AND number > %(after)s ORDER BY number LIMIT %(limit)s",
            run=run,
            after=after,
            limit=limit,
        )
        return [_entry(*row) for row in rows]

    def get(self, run: str) -> RunRecord | None:
        rows = self._rows.read(f"{_RECORD} AND id = %(run)s", run=run)
        return RunRecord(*rows[0]) if rows else None

    def runs(self, limit: int) -> Sequence[RunRecord]:
        sql = f"{_RECORD} ORDER BY changed_at DESC, id LIMIT %(limit)s"
        return [RunRecord(*row) for row in self._rows.read(sql, limit=limit)]

    def lease(self, run: str) -> AbstractContextManager[None]:
        return Leases(self._rows).lease(run)

    def send(self, run: str, command: Command, at: str) -> None:
        content = json.dumps([command.name, command.arguments, command.by, command.door])
        with self._rows.transaction(f"commands/{run}"):
            number = self._rows.next_number("run_command")
            self._rows.write(_SEND, run=run, id=command.id, number=number, at=at, content=content)

    def waiting(self, run: str) -> Sequence[Command]:
        rows = self._rows.read(
            "SELECT id, content FROM run_command WHERE project = %(project)s AND run = %(run)s"
            " ORDER BY sent_at, number",
            run=run,
        )
        return [Command(id, *json.loads(content)) for id, content in rows]

    def prune(self, before: str, most: int) -> int:
        with self._rows.transaction("runs"):
            runs = [run for (run,) in self._rows.write(_PRUNE, before=before, most=most)]
            for table in ("run_command", "run_lease"):
                self._rows.write(
                    f"DELETE FROM {table} WHERE project = %(project)s AND run = ANY(%(runs)s)",
                    runs=runs,
                )
        return len(runs)


def _row(run: str, entry: JournalEntry) -> dict[str, object]:
    content = json.dumps([event_fields(entry.event), list(entry.redacted)], separators=(",", ":"))
    name = event_name(entry.event)
    return {"run": run, "number": entry.number, "at": entry.at, "name": name, "content": content}


def _entry(number: int, at: str, name: str, content: str) -> JournalEntry:
    fields: Any
    fields, redacted = json.loads(content)
    return JournalEntry(number, at, event_of(name, fields), tuple(redacted))
