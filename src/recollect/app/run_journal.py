"""Writing down what happens to a run: in order, through the redaction gate, several events at a time."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import anyio
from anyio import to_thread

from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.records.json_format import Json
from recollect.records.redaction_port import RedactionGate
from recollect.redaction.redact import REDACTED
from recollect.workflow.events import (
    JournalEntry,
    RunEvent,
    RunStarted,
    event_fields,
    event_name,
    event_of,
)
from recollect.workflow.ports import Journal
from recollect.workflow.run_state import RunStatus
from recollect.workflow.stored_outputs import journaled

# The fields of events that agents, people and servers fill; the others are names and numbers of ours.
CONTENT = ("workflow", "tasks", "arguments", "output", "error", "reason", "values", "text", "command")


@dataclass(slots=True)
class _Batch:
    entries: list[JournalEntry]
    status: RunStatus
    sync: bool = False


class RunJournal:
    """The journal of one run. `add` returns at once; `synced` waits for the disk.

    `progress` is set when more is written, then another event takes its place.

    When the journal cannot be written, `failure` says why and nothing more is written: what is on the disk
    stays the beginning of what happened.
    """

    def __init__(
        self, journal: Journal, run: str, gate: RedactionGate, clock: Clock, number: int = 0
    ) -> None:
        self._journal, self._run, self._gate, self._clock = journal, run, gate, clock
        self.number = number
        self._batch = _Batch([], "running")
        self._written = number
        self._work, self.progress = anyio.Event(), anyio.Event()
        self._is_closing = False
        self.failure: StoreError | None = None

    async def begin(self, event: RunStarted, intent: str) -> None:
        """Write the first event of a new run. Raises StoreError."""
        self.number = self._written = 1
        first = redacted_entry(JournalEntry(1, journal_moment(self._clock()), event), self._gate)
        clean_intent, _ = self._gate(intent)
        await to_thread.run_sync(self._journal.begin, self._run, str(clean_intent), first)

    def add(self, event: RunEvent, status: RunStatus) -> int:
        """Write an event soon; the number it has."""
        self.number += 1
        self._batch.entries.append(JournalEntry(self.number, journal_moment(self._clock()), event))
        self._batch.status = status
        self._work.set()
        return self.number

    async def synced(self, number: int) -> None:
        """Return when the events up to this number are on the disk. Raises StoreError when they are not."""
        if self._written < number:
            self._batch.sync = True
            self._work.set()
        await self.written(number)

    async def written(self, number: int) -> None:
        """Return when other processes can read the events up to this number. Raises StoreError."""
        while self._written < number:
            if self.failure is not None:
                raise self.failure
            await self.progress.wait()

    def close(self) -> None:
        """Let `write` end once everything is written."""
        self._is_closing = True
        self._work.set()

    async def write(self, on_failure: Callable[[], None]) -> None:
        """Write what is added until `close`; the task of a run."""
        while self.failure is None:
            if self._batch.entries:
                await self._write(self._taken())
            elif self._is_closing:
                return
            else:
                self._work = anyio.Event()
                await self._work.wait()
        on_failure()

    def _taken(self) -> _Batch:
        """What is to be written now; whoever writes it is the only one that has it."""
        batch, self._batch = self._batch, _Batch([], self._batch.status)
        return batch

    async def _write(self, batch: _Batch) -> None:
        try:
            await to_thread.run_sync(self._store, batch)
        except StoreError as error:
            self.failure = error
        else:
            self._written = batch.entries[-1].number
        self.progress.set()
        self.progress = anyio.Event()

    def _store(self, batch: _Batch) -> None:
        entries = [redacted_entry(entry, self._gate) for entry in batch.entries]
        self._journal.append(self._run, entries, batch.status, sync=batch.sync)


def journal_moment(moment: datetime) -> str:
    """A moment as the journal writes it, in milliseconds."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def redacted_entry(entry: JournalEntry, gate: RedactionGate) -> JournalEntry:
    """The entry as it may be stored, with the places that a secret was removed from."""
    entry = replace(entry, event=journaled(entry.event))
    fields = event_fields(entry.event)
    redacted, findings = gate({name: fields[name] for name in CONTENT if name in fields})
    if not findings:
        return entry
    assert isinstance(redacted, dict)
    event = event_of(event_name(entry.event), fields | redacted)
    return JournalEntry(entry.number, entry.at, event, tuple(finding.field for finding in findings))


def has_redaction(value: Json) -> bool:
    """Whether a value that was stored lacks a secret that was in it."""
    return REDACTED in json.dumps(value, ensure_ascii=False)
