"""From the rows of a transcript to one session: what it was for, what was said, done, and solved.

The same functions decide as while a session runs (`working.capture`, `working.tool_call`), over values in
memory. A session of any length takes bounded memory: of each list the oldest or the middle makes room.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.agents.past_events import Answered, Called, Context, PastEvent, Returned, Said
from recollect.clock import from_text, to_text
from recollect.importing.transcripts.rows import Rows, TranscriptRow, UnreadableRow
from recollect.importing.transcripts.spoken import spoken
from recollect.working.capture import CaptureSettings, RawCall, capture
from recollect.working.draft import runbook_document
from recollect.working.history import Action, Failure, SessionHistory
from recollect.working.past_sessions import (
    ENTRIES_KEPT,
    ENTRY_LENGTH,
    EntryKind,
    PastEntry,
    PastSession,
)
from recollect.working.redacted import redact_text
from recollect.working.rules import Rule
from recollect.working.session import WorkingMemory
from recollect.working.tool_call import CallContext, CallOutcome, ToolCall, apply_call
from recollect.working.tools import ToolNames
from recollect.working.turns import goal_of, start_of

if TYPE_CHECKING:
    from recollect.working.redacted import Redact

_MOST_OPEN = 64  # calls whose end was not read yet
_MOST_ENDED = 256  # calls whose end was read, so that it counts once
_MOST_ACTIONS = 1_000
_MOST_FAILURES = 200
_MOST_FIXES = 20
_MOST_TURNS = 5_000  # whose words are looked at
_LONGEST_INPUT = 20_000  # characters of one field of a tool's input
_KINDS: Mapping[str, EntryKind] = {"edit": "edited", "commit": "committed"}


@dataclass(frozen=True, slots=True)
class TranscriptReading:
    """How to read a transcript: the harness's tools and rules, the gate, and what to leave out.

    `checkout` is the project's folder that a session ran in; None for a session of another project.
    """

    harness: str
    tools: ToolNames
    rules: Sequence[Rule]
    redact: "Redact"
    memory_roots: Sequence[str]
    checkout: Callable[[Context], str | None]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person said in one turn, unredacted; its number, and its line in the transcript."""

    text: str
    number: int
    line: int
    at: str


@dataclass(frozen=True, slots=True)
class SolvedError:
    """The draft of a runbook for an error that was solved, and the line at which the error began."""

    failure: Failure
    document: dict[str, Any]
    line: int


@dataclass(slots=True)
class PastReader:
    """A session while its rows are read. `turns` hears what a person said, as it is read."""

    reading: TranscriptReading
    turns: Callable[[Turn], None]
    id: str = ""
    folder: str | None = None  # the checkout, once a row has named it
    is_foreign: bool = False  # a session of another project, or of a subagent
    unreadable: int = 0
    turn: int = 0
    goal: str = ""
    goal_line: int = 0
    started_at: str = ""
    ended_at: str = ""
    fixes: list[SolvedError] = field(default_factory=list)
    _entries: list[PastEntry] = field(default_factory=list)
    _memory: WorkingMemory = field(default_factory=WorkingMemory)
    _actions: dict[tuple[str, str], Action] = field(default_factory=dict)
    _failures: dict[str, Failure] = field(default_factory=dict)
    _lines: dict[str, int] = field(default_factory=dict)  # of failures, by fingerprint
    _open: dict[str, Called] = field(default_factory=dict)
    _ended: dict[str, None] = field(default_factory=dict)
    _answer: tuple[str, int, str] | None = None
    _last_said: str = ""

    def read(self, rows: Rows) -> None:
        """Read rows until they end or show that the session is not this project's."""
        for row in rows:
            if isinstance(row, UnreadableRow):
                self.unreadable += 1
                continue
            at = moment(row.at)
            self.started_at = self.started_at or at
            self.ended_at = max(self.ended_at, at)
            for event in row.events:
                self._event(event, row, at)
            if self.is_foreign:
                return
        self._flush_answer()

    def _event(self, event: PastEvent, row: TranscriptRow, at: str) -> None:
        match event:
            case Context():
                self._context(event)
            case Said(text):
                self._turn_said(text, row.line, at)
            case Answered(text):
                self._answer = (text, row.line, at)
            case Called():
                self._called(event)
            case Returned():
                self._returned(event, row.line, at)

    def _context(self, context: Context) -> None:
        self.id = self.id or context.session
        self.is_foreign = self.is_foreign or context.is_side
        if self.folder is None and (context.folder or context.project_hash):
            self.folder = self.reading.checkout(context)
            self.is_foreign = self.is_foreign or self.folder is None

    def _turn_said(self, text: str, line: int, at: str) -> None:
        words = spoken(text)
        if not words or words == self._last_said or self.turn >= _MOST_TURNS:
            return  # some harnesses write a prompt down twice
        self._last_said = words
        self._flush_answer()
        self.turn += 1
        clean = redact_text(start_of(words), self.reading.redact).text
        if not self.goal and (goal := goal_of(clean)):
            self.goal, self.goal_line = goal, line
        self._add("said", clean, line, at)
        self.turns(Turn(words, self.turn, line, at))

    def _flush_answer(self) -> None:
        """Keep the last thing that the agent wrote in a turn; what it wrote between calls is chatter."""
        if self._answer:
            text, line, at = self._answer
            self._answer = None
            self._add("answered", redact_text(start_of(text), self.reading.redact).text, line, at)

    def _called(self, called: Called) -> None:
        if called.call in self._ended:
            return  # some harnesses write a call down twice
        tool_input = {name: _short(value) for name, value in called.tool_input.items()}
        self._open[called.call] = Called(called.call, called.tool, tool_input)
        _bound(self._open, _MOST_OPEN)

    def _returned(self, returned: Returned, line: int, at: str) -> None:
        called = self._open.pop(returned.call, None)
        if called is None:
            return  # its call was not read, or its end was written down before
        self._ended[returned.call] = None
        _bound(self._ended, _MOST_ENDED)
        tools, reading = self.reading.tools, self.reading
        raw = RawCall(
            called.tool,
            tools.translated(called.tool_input),
            returned.output,
            bool(returned.failed),
        )
        settings = CaptureSettings(reading.rules, self.folder or "", reading.memory_roots)
        self._call(capture(raw, settings, reading.redact), line, at)

    def _call(self, call: ToolCall, line: int, at: str) -> None:
        fingerprint = call.item.fingerprint if call.item else ""
        own = [self._failures[fingerprint]] if fingerprint in self._failures else []
        unresolved = [failure for failure in self._failures.values() if not failure.resolved]
        command = call.command.text
        same = [failure for failure in unresolved if command and failure.command == command]
        before = CallContext(self._memory, tuple(own), tuple(same), bool(unresolved))
        self._apply(apply_call(self.id, call, before, at), call, line, at)

    def _apply(self, outcome: CallOutcome, call: ToolCall, line: int, at: str) -> None:
        self._memory = outcome.memory
        for action in outcome.actions:
            kind = _KINDS.get(action.kind)
            if kind and (action.kind, action.text) not in self._actions:
                self._add(kind, action.text, line, at)
            self._actions.pop((action.kind, action.text), None)
            self._actions[action.kind, action.text] = action
        for failure in outcome.failures:
            if failure.fingerprint not in self._failures and call.item is not None:
                self._lines[failure.fingerprint] = line
                self._add("failed", failure.content, line, at)
            self._failures[failure.fingerprint] = failure
        for failure in outcome.fixed:
            self._fixed(failure)
        _bound(self._actions, _MOST_ACTIONS)
        _bound(self._failures, _MOST_FAILURES)

    def _fixed(self, failure: Failure) -> None:
        document = runbook_document(failure, self.history)
        if document is not None and len(self.fixes) < _MOST_FIXES:
            line = self._lines.get(failure.fingerprint, 0)
            self.fixes.append(SolvedError(failure, document, line))

    def _add(self, kind: EntryKind, text: str, line: int, at: str) -> None:
        words = text.strip()[:ENTRY_LENGTH]
        if words:
            self._entries.append(PastEntry(kind, words, line, at))
        if len(self._entries) > ENTRIES_KEPT:
            del self._entries[ENTRIES_KEPT // 2]

    @property
    def entries(self) -> tuple[PastEntry, ...]:
        """What happened, in its order; of a long session without its middle."""
        return tuple(self._entries)

    @property
    def history(self) -> SessionHistory:
        """What was done and what failed."""
        actions = sorted(self._actions.values(), key=lambda action: action.event)
        failures = sorted(self._failures.values(), key=lambda failure: failure.event)
        return SessionHistory(
            self.id, self.reading.harness, self.goal, "", tuple(actions), tuple(failures)
        )

    def session(self, transcript: str) -> PastSession:
        """The facts of the session."""
        facts = (self.started_at, self.ended_at, self.goal)
        return PastSession(self.id, self.reading.harness, transcript, *facts)


def moment(text: str) -> str:
    """A moment in our form; '' for what is neither ISO 8601 nor milliseconds since the epoch."""
    try:
        if text.isdecimal() and len(text) < 16:
            return to_text(datetime.fromtimestamp(int(text) / 1000, UTC))
        return to_text(from_text(text)) if text else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _short(value: Any) -> Any:
    """A value of a tool's input without what no rule reads: the text of a file that was written."""
    if isinstance(value, str):
        return value[:_LONGEST_INPUT]
    if isinstance(value, list):
        return [_short(each) for each in value[:100] if isinstance(each, str | int | float)]
    return value if isinstance(value, int | float | bool) else None


def _bound(values: dict[Any, Any], most: int) -> None:
    while len(values) > most:
        del values[next(iter(values))]
