"""Sessions and their working memory: the PostgreSQL adapter of `SessionStore`."""

from collections.abc import Collection, Sequence

from recollect.storage.postgres.project_rows import ProjectRows, Row
from recollect.working.session import EVENTS, FADED_KEPT, Faded, Item, Provenance, WorkingMemory
from recollect.working.session_state import SessionState
from recollect.working.view import Left, RuleCount, Session

_FACTS = (
    "started_at, seen_at, harness, goal, events, compactions, pointed, summary_memory,"
    " extracted, redacted"
)
_SAVE_STATE = f"""
INSERT INTO session (project, id, {_FACTS}) VALUES (%(project)s, %(id)s, %(started_at)s, %(seen_at)s,
    %(harness)s, %(goal)s, %(events)s, %(compactions)s, %(pointed)s, %(summary_memory)s, %(extracted)s,
    %(redacted)s)
ON CONFLICT (project, id) DO UPDATE SET {", ".join(f"{n} = excluded.{n}" for n in _FACTS.split(", "))}
"""
_ITEM = "content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint, command, paths"
_ADD_ITEM = f"""
INSERT INTO item (project, session, number, {_ITEM}) VALUES (%(project)s, %(session)s, %(number)s,
    {", ".join(f"%({name})s" for name in _ITEM.split(", "))})
"""
_ADD_LEFT = """
INSERT INTO left_item (project, session, number, content, kind, rule, reason, event)
VALUES (%(project)s, %(session)s, %(number)s, %(content)s, %(kind)s, %(rule)s, %(reason)s, %(event)s)
"""
_DROP_LEFT = """
DELETE FROM left_item WHERE project = %(project)s AND session = %(session)s AND number <= (
    SELECT number FROM left_item WHERE project = %(project)s AND session = %(session)s
    ORDER BY number DESC LIMIT 1 OFFSET %(most)s)
"""
_LATEST = """
SELECT id, harness, started_at, seen_at,
    (SELECT count(*) FROM item WHERE item.project = %(project)s AND item.session = session.id),
    goal, extracted, redacted
FROM session WHERE project = %(project)s AND seen_at <> ''
ORDER BY seen_at DESC, tool_event DESC, id LIMIT %(limit)s
"""
_COUNT_RULE = """
INSERT INTO rule_count (project, rule, matched, last_at) VALUES (%(project)s, %(rule)s, 1, %(at)s)
ON CONFLICT (project, rule) DO UPDATE SET matched = rule_count.matched + 1, last_at = excluded.last_at
"""


class PostgresSessions:
    """Loads and saves sessions and their items."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def state(self, session: str) -> SessionState:
        sql = f"SELECT {_FACTS} FROM session WHERE project = %(project)s AND id = %(id)s"
        for facts in self._rows.read(sql, id=session):
            return SessionState(session, *facts)
        return SessionState(session)

    def save_state(self, state: SessionState) -> None:
        names = _FACTS.split(", ")
        self._rows.write(_SAVE_STATE, id=state.id, **{name: getattr(state, name) for name in names})

    def memory(self, session: str) -> WorkingMemory:
        event = self._rows.read(
            "SELECT tool_event FROM session WHERE project = %(project)s AND id = %(id)s", id=session
        )
        items = self._rows.read(
            f"SELECT {_ITEM} FROM item WHERE project = %(project)s AND session = %(session)s"
            " ORDER BY content",
            session=session,
        )
        return WorkingMemory(tuple(_item(row) for row in items), event[0][0] if event else 0)

    def save_memory(self, session: str, memory: WorkingMemory, left: Sequence[Faded] = ()) -> None:
        with self._rows.transaction("sessions"):
            self._rows.write(
                "UPDATE session SET tool_event = %(event)s WHERE project = %(project)s AND id = %(id)s",
                event=memory.event,
                id=session,
            )
            self._rows.write(
                "DELETE FROM item WHERE project = %(project)s AND session = %(session)s",
                session=session,
            )
            items = enumerate(memory.items)
            values = ({"session": session, "number": n, **_values(item)} for n, item in items)
            self._rows.write_many(_ADD_ITEM, values)
            if left:
                self._add_left(session, left)

    def _add_left(self, session: str, left: Sequence[Faded]) -> None:
        first = self._rows.next_number("left_item", len(left)) - len(left) + 1
        values = (
            {
                "session": session,
                "number": number,
                "content": gone.item.content,
                "kind": gone.item.kind,
                "rule": gone.item.provenance.rule,
                "reason": gone.reason,
                "event": gone.event,
            }
            for number, gone in enumerate(left, first)
        )
        self._rows.write_many(_ADD_LEFT, values)
        self._rows.write(_DROP_LEFT, session=session, most=FADED_KEPT)

    def left(self, session: str) -> list[Left]:
        sql = (
            "SELECT content, kind, reason, event FROM left_item"
            " WHERE project = %(project)s AND session = %(session)s ORDER BY number DESC"
        )
        return [Left(*row) for row in self._rows.read(sql, session=session)]

    def latest(self, limit: int) -> list[Session]:
        return [Session(*row) for row in self._rows.read(_LATEST, limit=limit)]

    def rule_counts(self) -> list[RuleCount]:
        sql = (
            "SELECT rule, matched, last_at FROM rule_count WHERE project = %(project)s"
            " ORDER BY matched DESC, rule"
        )
        return [RuleCount(*row) for row in self._rows.read(sql)]

    def count_rule(self, rule: str, at: str) -> None:
        self._rows.write(_COUNT_RULE, rule=rule, at=at)

    def keep_only(self, sessions: Collection[str]) -> None:
        with self._rows.transaction("sessions"):
            for table in ("item", "left_item"):
                keep_sessions(self._rows, table, sessions)


def keep_sessions(rows: ProjectRows, table: str, sessions: Collection[str]) -> None:
    """Delete the rows of a table that belong to other sessions."""
    rows.write(
        f"DELETE FROM {table} WHERE project = %(project)s AND NOT session = ANY(%(sessions)s)",
        sessions=list(sessions),
    )


def _values(item: Item) -> dict[str, object]:
    origin = item.provenance
    return {
        "content": item.content,
        "base": item.base,
        "last": item.last % EVENTS,
        "mentions": item.mentions,
        "tool": origin.tool,
        "rule": origin.rule,
        "event": origin.event,
        "redacted": origin.redaction_applied,
        "kind": item.kind,
        "fingerprint": item.fingerprint,
        "command": item.command,
        "paths": "\n".join(item.paths),
    }


def _item(row: Row) -> Item:
    content, base, last, mentions, tool, rule, event, redacted, kind, fingerprint, command, paths = row
    files = tuple(paths.split("\n")) if paths else ()
    origin = Provenance(tool, rule, event, redacted)
    return Item(content, base, last, origin, mentions, kind, fingerprint, command, files)
