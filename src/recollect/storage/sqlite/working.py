"""Where working memory lives: `state.db`. Each call that writes is one transaction, all of it or nothing.

Whatever is written passes the redaction gate first. An error in the gate stops the write.
"""

from __future__ import annotations

from recollect.storage.sqlite.connections import writing
from recollect.storage.sqlite.history import SqliteHistory, now_text
from recollect.values import Frozen, replaced
from recollect.working.attention import EVENTS, attention
from recollect.working.history import Record
from recollect.working.session import (
    Change,
    Faded,
    Item,
    Provenance,
    WorkingMemory,
    add,
    advance,
    mention,
    resolve,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.ids import UnifiedId
    from recollect.storage.sqlite.state import StateDatabase
    from recollect.working.history import Failure
    from recollect.working.view import Left, RuleCount, Session

    Redact = Callable[[str], tuple[str, Sequence[object]]]

FADED_KEPT = 30  # of each session
USED = 0.7  # attention of a memory when a session reads it, touches its files or speaks of it
_COMMAND = 200  # characters of a command


class ToolCall(Frozen):
    """A tool call that is over: what ran, whether it failed, and what a rule made of its output."""

    tool: str
    command: str = ""
    failed: bool = False
    item: Item | None = None


class CallOutcome(Frozen):
    """What a tool call led to. `known` when its error had been seen before; `fixed` is what now works."""

    memory: WorkingMemory
    faded: tuple[Faded, ...] = ()
    known: bool = False
    fixed: tuple[Failure, ...] = ()


class WorkingStore:
    """The working memory of every session of one project. Safe for many processes at once."""

    def __init__(self, state: StateDatabase, redact: Redact, now: Callable[[], str] = now_text) -> None:
        self._db = state.connection
        self._redact = redact
        self._now = now
        self.past = SqliteHistory(self._db)

    def call(self, session: str, harness: str, call: ToolCall) -> CallOutcome:
        """A tool was called: one event later, with what its output gave."""
        call = self._clean(call)
        known = False
        fixed: tuple[Failure, ...] = ()
        with writing(self._db):
            before = self._seen(session, harness)
            change = advance(before)
            if call.item is not None:
                item = _at(call.item, change.memory.event)
                known = self.past.note(session, item, self._now())
                self._matched(item.provenance.rule)
                change = _then(change, add(change.memory, item))
            if call.command and not call.failed and not (call.item and call.item.fingerprint):
                event, now = change.memory.event, self._now()
                fixed = self.past.succeeded(session, call.command, event, now)
                change = _then(change, resolve(change.memory, call.command))
            self._save(session, before, change)
        return CallOutcome(change.memory, change.faded, known, fixed)

    def mention(self, session: str, prompt: str) -> int:
        """A prompt was given: what it speaks of matters more. How many items it spoke of."""
        from recollect.working.mentions import mentioned

        with writing(self._db):
            memory = self.memory(session)
            named = mentioned(memory.items, prompt)
            if named:
                self._save(session, memory, Change(mention(memory, named)))
        return len(named)

    def begin(self, session: str, harness: str, goal: str = "") -> None:
        """A session is seen: in which harness and, the first time that it says so, what it is for."""
        text = self._redact(goal)[0] if goal else ""
        sql = (
            "INSERT INTO session (id, started_at, seen_at, harness, goal) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,"
            " harness = CASE WHEN excluded.harness = '' THEN harness ELSE excluded.harness END,"
            " goal = CASE WHEN goal = '' THEN excluded.goal ELSE goal END"
        )
        with writing(self._db):
            self._db.execute(sql, (session, self._now(), self._now(), harness, text))

    def goal(self, session: str) -> str:
        """What a session is for; '' when it has not said so."""
        row = self._db.execute("SELECT goal FROM session WHERE id = ?", (session,)).fetchone()
        return str(row[0]) if row else ""

    def knows(self, session: str) -> bool:
        """Whether a session has been seen before."""
        sql = "SELECT 1 FROM session WHERE id = ? AND seen_at <> ''"
        return self._db.execute(sql, (session,)).fetchone() is not None

    def redacted(self, text: str) -> str:
        """A text as it may be written."""
        return self._redact(text)[0]

    def memory(self, session: str) -> WorkingMemory:
        """A session's working memory; an empty one for a session that is not known."""
        row = self._db.execute("SELECT tool_event FROM session WHERE id = ?", (session,)).fetchone()
        sql = (
            "SELECT content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint,"
            " command, paths FROM item WHERE session = ? ORDER BY content"
        )
        items = tuple(_item(found) for found in self._db.execute(sql, (session,)))
        return WorkingMemory(items, int(row[0]) if row else 0)

    def faded(self, session: str) -> list[Left]:
        """What left a session's working memory, the latest first."""
        from recollect.working.view import Left

        sql = "SELECT content, kind, reason, event FROM faded WHERE session = ? ORDER BY key DESC"
        return [Left(*row) for row in self._db.execute(sql, (session,))]

    def sessions(self, limit: int = 50) -> list[Session]:
        """The sessions, the one seen last first."""
        from recollect.working.view import Session

        sql = (
            "SELECT id, harness, started_at, seen_at, tool_event,"
            " (SELECT count(*) FROM item WHERE session = id), goal"
            " FROM session WHERE seen_at <> '' ORDER BY seen_at DESC, tool_event DESC, id LIMIT ?"
        )
        return [Session(*row) for row in self._db.execute(sql, (limit,))]

    def record(self, session: str) -> Record:
        """What is known of a session; an empty record for one that is not known."""
        sql = "SELECT harness, goal, seen_at, kept FROM session WHERE id = ?"
        harness, goal, seen_at, kept = self._db.execute(sql, (session,)).fetchone() or ("",) * 4
        deeds, troubles = self.past.deeds(session), self.past.troubles(session)
        return Record(session, harness, goal, seen_at, kept, deeds, troubles)

    def used(self, session: str) -> dict[UnifiedId, float]:
        """How much the memories that a session made use of matter now.

        Being given is no use: else what was injected once would push itself forward for good.
        """
        sql = (
            "SELECT memory, session.events - max(injection.event) FROM injection"
            " JOIN session ON session.id = injection.session"
            " WHERE session.id = ? AND used IS NOT NULL GROUP BY memory"
        )
        found = [(id, attention(USED, max(ago, 0), 0)) for id, ago in self._db.execute(sql, (session,))]
        return {id: level for id, level in found if level is not None}

    def counts(self) -> list[RuleCount]:
        """How often each rule has kept something, the busiest first."""
        from recollect.working.view import RuleCount

        sql = "SELECT rule, matched, last_at FROM rule_count ORDER BY matched DESC, rule"
        return [RuleCount(*row) for row in self._db.execute(sql)]

    def kept(self, session: str, memory: str) -> None:
        """A session's summary was kept as this memory."""
        with writing(self._db):
            self._db.execute("UPDATE session SET kept = ? WHERE id = ?", (memory, session))

    def tidy(self) -> None:
        """Let go of the oldest sessions' working memory and of the oldest errors."""
        with writing(self._db):
            self.past.tidy()

    def _clean(self, call: ToolCall) -> ToolCall:
        """A call without secrets in anything that is kept of it. A fingerprint is of clean text already."""
        command = self._redact(call.command)[0] if call.command else ""
        if call.item is None:
            return replaced(call, command=command[:_COMMAND])
        texts = [call.item.content, call.item.command, *call.item.paths]
        (content, own, *paths), found = self._all_clean(texts)
        applied = call.item.provenance.redaction_applied or found
        item = replaced(
            call.item,
            content=content,
            command=own[:_COMMAND],
            paths=tuple(paths),
            provenance=replaced(call.item.provenance, redaction_applied=applied),
        )
        return replaced(call, command=command[:_COMMAND], item=item)

    def _all_clean(self, texts: list[str]) -> tuple[list[str], bool]:
        """Texts without their secrets, and whether there were any. Most have none: one look at all."""
        together = "\n\n".join(texts)
        if self._redact(together)[0] == together:
            return texts, False
        return [self._redact(text)[0] for text in texts], True

    def _seen(self, session: str, harness: str) -> WorkingMemory:
        """Note that a session is alive. Its working memory as it was."""
        sql = (
            "INSERT INTO session (id, started_at, seen_at, harness) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,"
            " harness = CASE WHEN excluded.harness = '' THEN harness ELSE excluded.harness END"
        )
        self._db.execute(sql, (session, self._now(), self._now(), harness))
        return self.memory(session)

    def _save(self, session: str, before: WorkingMemory, change: Change) -> None:
        event, items = change.memory.event, change.memory.items
        self._db.execute("UPDATE session SET tool_event = ? WHERE id = ?", (event, session))
        gone = [(session, item.content) for item in before.items if item not in items]
        self._db.executemany("DELETE FROM item WHERE session = ? AND content = ?", gone)
        rows = [_row(session, item) for item in items if item not in before.items]
        self._db.executemany(f"INSERT INTO item VALUES ({','.join('?' * 13)})", rows)
        if not change.faded:
            return
        sql = "INSERT INTO faded (session, content, kind, rule, reason, event) VALUES (?,?,?,?,?,?)"
        left = [
            (session, one.item.content, one.item.kind, one.item.provenance.rule, one.reason, one.event)
            for one in change.faded
        ]
        self._db.executemany(sql, left)
        self._db.execute(
            "DELETE FROM faded WHERE session = ?1 AND key <="
            " (SELECT key FROM faded WHERE session = ?1 ORDER BY key DESC LIMIT 1 OFFSET ?2)",
            (session, FADED_KEPT),
        )

    def _matched(self, rule: str) -> None:
        sql = (
            "INSERT INTO rule_count VALUES (?, 1, ?) ON CONFLICT (rule)"
            " DO UPDATE SET matched = matched + 1, last_at = excluded.last_at"
        )
        self._db.execute(sql, (rule, self._now()))


def _then(before: Change, after: Change) -> Change:
    """Two changes as one."""
    return replaced(after, faded=before.faded + after.faded)


def _at(item: Item, event: int) -> Item:
    """An item as it is when it is taken in at an event."""
    return replaced(item, last=event, provenance=replaced(item.provenance, event=event))


def _row(session: str, item: Item) -> tuple[object, ...]:
    told = item.provenance
    seen = (session, item.content, item.base, item.last % EVENTS, item.mentions)
    origin = (told.tool, told.rule, told.event, int(told.redaction_applied))
    return (*seen, *origin, item.kind, item.fingerprint, item.command, "\n".join(item.paths))


def _item(row: tuple[object, ...]) -> Item:
    content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint, command, paths = row
    origin = Provenance(str(tool), str(rule), _whole(event), bool(redacted))
    return Item(
        str(content),
        float(str(base)),
        _whole(last),
        origin,
        _whole(mentions),
        str(kind),
        str(fingerprint),
        str(command),
        tuple(str(paths).split("\n")) if paths else (),
    )


def _whole(number: object) -> int:
    return int(str(number))
