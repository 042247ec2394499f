"""Sessions, their working memory and the injections into their prompts, in `state.db`.

The SQLite adapters of `SessionStore` and `InjectionStore`. The table `waiting` holds the memories that the
next prompt of a session is shown.
"""

from __future__ import annotations

import json

from recollect.storage.sqlite.schema import storable
from recollect.working.session import EVENTS, FADED_KEPT, Item, Provenance, WorkingMemory
from recollect.working.session_state import Impact, Injection, SessionState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from recollect.ids import UnifiedId
    from recollect.storage.sqlite.state import StateConnection
    from recollect.working.session import Faded
    from recollect.working.session_state import GateScoring
    from recollect.working.view import Left, RuleCount, Session

_ADD_SCORING = (  # `storage.sqlite.traces` reads it; a hook has no time to load that
    "INSERT INTO trace (scoring, at, kind, context, session, candidate, signals, params, score, threshold,"
    " decision, milliseconds) VALUES (lower(hex(randomblob(6))), ?, 'gate', ?, ?, ?, ?,"
    " (SELECT key FROM trace_params WHERE content = ?), ?, ?, ?, ?)"
)
_INJECTION = "session, memory, at, probability, used, compaction, event"


class SqliteSessions:
    """Loads and saves sessions and their items."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db

    def state(self, session: str) -> SessionState:
        sql = (
            "SELECT started_at, seen_at, harness, goal, events, compactions, pointed, kept, extracted,"
            " redacted FROM session WHERE id = ?"
        )
        for row in self._db.rows(sql, (storable(session),)):
            started_at, seen_at, harness, goal, events, compactions, pointed, *others = row
            counters = (events, compactions, bool(pointed), *others)
            return SessionState(session, started_at, seen_at, harness, goal, *counters)
        return SessionState(session)

    def save_state(self, state: SessionState) -> None:
        sql = (
            "INSERT INTO session (started_at, seen_at, harness, goal, events, compactions, pointed,"
            " kept, extracted, redacted, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            " ON CONFLICT (id) DO UPDATE SET started_at = ?1, seen_at = ?2, harness = ?3, goal = ?4,"
            " events = ?5, compactions = ?6, pointed = ?7, kept = ?8, extracted = ?9, redacted = ?10"
        )
        facts = (state.started_at, state.seen_at, state.harness, storable(state.goal))
        counters = (state.events, state.compactions, int(state.pointed), state.summary_memory)
        items = (state.extracted, state.redacted)
        self._db.rows(sql, (*facts, *counters, *items, storable(state.id)))

    def memory(self, session: str) -> WorkingMemory:
        name = storable(session)
        [event] = self._db.rows("SELECT tool_event FROM session WHERE id = ?", (name,)) or [(0,)]
        sql = (
            "SELECT content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint,"
            " command, paths FROM item WHERE session = ? ORDER BY content"
        )
        return WorkingMemory(tuple([_item(row) for row in self._db.rows(sql, (name,))]), event[0])

    def save_memory(self, session: str, memory: WorkingMemory, left: Sequence[Faded] = ()) -> None:
        name = storable(session)
        self._db.rows("UPDATE session SET tool_event = ? WHERE id = ?", (memory.event, name))
        self._db.rows("DELETE FROM item WHERE session = ?", (name,))
        items = [(name, *_values(item)) for item in memory.items]
        self._db.write_many(f"INSERT INTO item VALUES ({','.join('?' * 13)})", items)
        if left:
            self._add_left(name, left)

    def _add_left(self, name: str, left: Sequence[Faded]) -> None:
        sql = "INSERT INTO faded (session, content, kind, rule, reason, event) VALUES (?,?,?,?,?,?)"
        rows = [
            (
                name,
                gone.item.content,
                gone.item.kind,
                gone.item.provenance.rule,
                gone.reason,
                gone.event,
            )
            for gone in left
        ]
        self._db.write_many(sql, rows)
        self._db.rows(
            "DELETE FROM faded WHERE session = ?1 AND key <="
            " (SELECT key FROM faded WHERE session = ?1 ORDER BY key DESC LIMIT 1 OFFSET ?2)",
            (name, FADED_KEPT),
        )

    def left(self, session: str) -> list[Left]:
        from recollect.working.view import Left

        sql = "SELECT content, kind, reason, event FROM faded WHERE session = ? ORDER BY key DESC"
        return [Left(*row) for row in self._db.rows(sql, (storable(session),))]

    def latest(self, limit: int) -> list[Session]:
        from recollect.working.view import Session

        sql = (
            "SELECT id, harness, started_at, seen_at,"
            " (SELECT count(*) FROM item WHERE session = id), goal, extracted, redacted"
            " FROM session WHERE seen_at <> '' ORDER BY seen_at DESC, tool_event DESC, id LIMIT ?"
        )
        return [Session(*row) for row in self._db.rows(sql, (limit,))]

    def rule_counts(self) -> list[RuleCount]:
        from recollect.working.view import RuleCount

        sql = "SELECT rule, matched, last_at FROM rule_count ORDER BY matched DESC, rule"
        return [RuleCount(*row) for row in self._db.rows(sql)]

    def count_rule(self, rule: str, at: str) -> None:
        sql = (
            "INSERT INTO rule_count VALUES (?, 1, ?) ON CONFLICT (rule)"
            " DO UPDATE SET matched = matched + 1, last_at = excluded.last_at"
        )
        self._db.rows(sql, (storable(rule), at))

    def keep_only(self, sessions: Collection[str]) -> None:
        for table in ("item", "faded"):
            self._db.keep_sessions(table, sessions)


class SqliteInjections:
    """Loads and saves injections."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db

    def of_session(self, session: str) -> list[Injection]:
        sql = f"SELECT {_INJECTION} FROM injection WHERE session = ? ORDER BY memory, compaction"
        rows = self._db.rows(sql, (storable(session),))
        return [Injection(session, *row[1:]) for row in rows]

    def save(self, injections: Sequence[Injection]) -> None:
        sql = f"INSERT OR REPLACE INTO injection ({_INJECTION}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        rows = [
            (
                storable(injection.session),
                injection.memory,
                injection.at,
                injection.probability,
                injection.used,
                injection.compaction,
                injection.event,
            )
            for injection in injections
        ]
        self._db.write_many(sql, rows)

    def add_scoring(self, session: str, scoring: GateScoring, at: str) -> None:
        params = json.dumps(dict(scoring.params), sort_keys=True)
        self._db.rows("INSERT OR IGNORE INTO trace_params (content) VALUES (?)", (params,))
        facts = (f"{at[:19]}Z", scoring.context, storable(session), scoring.candidate)
        numbers = (json.dumps(dict(scoring.signals)), params, scoring.score, scoring.threshold)
        values = (*facts, *numbers, scoring.decision, round(scoring.milliseconds, 3))
        self._db.rows(_ADD_SCORING, values)

    def waiting(self, session: str) -> list[UnifiedId]:
        sql = "SELECT memory FROM waiting WHERE session = ? ORDER BY memory"
        return [row[0] for row in self._db.rows(sql, (storable(session),))]

    def add_waiting(self, session: str, memories: Sequence[UnifiedId]) -> None:
        rows = [(storable(session), memory) for memory in memories]
        self._db.write_many("INSERT OR IGNORE INTO waiting VALUES (?, ?)", rows)

    def clear_waiting(self, session: str) -> None:
        self._db.rows("DELETE FROM waiting WHERE session = ?", (storable(session),))

    def keep_only(self, sessions: Collection[str]) -> None:
        self._db.keep_sessions("waiting", sessions)

    def latest(self, limit: int) -> list[Injection]:
        sql = f"SELECT {_INJECTION} FROM injection ORDER BY at DESC, session, memory LIMIT ?"
        return [Injection(*row) for row in self._db.rows(sql, (limit,))]

    def impact(self) -> list[Impact]:
        sql = (
            "SELECT memory, count(*), count(used) FROM injection"
            " GROUP BY memory ORDER BY count(*) DESC, memory"
        )
        return [Impact(*row) for row in self._db.rows(sql)]


def _values(item: Item) -> tuple[object, ...]:
    origin = item.provenance
    return (
        item.content,
        item.base,
        item.last % EVENTS,
        item.mentions,
        origin.tool,
        origin.rule,
        origin.event,
        int(origin.redaction_applied),
        item.kind,
        item.fingerprint,
        item.command,
        "\n".join(item.paths),
    )


def _item(row: tuple[Any, ...]) -> Item:
    content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint, command, paths = row
    provenance = Provenance(tool, rule, event, bool(redacted))
    files = tuple(paths.split("\n")) if paths else ()
    return Item(content, base, last, provenance, mentions, kind, fingerprint, command, files)
