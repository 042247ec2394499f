"""What sessions did and what failed in them: the PostgreSQL adapter of `HistoryStore`."""

import hashlib
from collections.abc import Collection

from recollect.ids import UnifiedId
from recollect.storage.postgres.project_rows import ProjectRows
from recollect.storage.postgres.sessions import keep_sessions
from recollect.storage.postgres.text_values import storable
from recollect.values import replaced
from recollect.working.history import Action, Failure

_FAILURE = "fingerprint, command, content, event, times, resolved_at, session, at"
_SAVE_FAILURE = f"""
INSERT INTO failure (project, {_FAILURE})
VALUES (%(project)s, {", ".join(f"%({name})s" for name in _FAILURE.split(", "))})
ON CONFLICT (project, session, fingerprint) DO UPDATE SET command = excluded.command,
    content = excluded.content, event = excluded.event, times = excluded.times,
    resolved_at = excluded.resolved_at, at = excluded.at
"""
_SAVE_ACTION = """
INSERT INTO action (project, session, kind, digest, text, event)
VALUES (%(project)s, %(session)s, %(kind)s, %(digest)s, %(text)s, %(event)s)
ON CONFLICT (project, session, kind, digest) DO UPDATE SET event = excluded.event
"""
_DROP_FAILURES = """
DELETE FROM failure WHERE project = %(project)s AND at <= (
    SELECT at FROM failure WHERE project = %(project)s ORDER BY at DESC LIMIT 1 OFFSET %(failures)s)
"""


class PostgresHistory:
    """Loads and saves actions, failures and the runbooks for them."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def actions(self, session: str) -> tuple[Action, ...]:
        sql = (
            "SELECT kind, text, event FROM action WHERE project = %(project)s AND session = %(session)s"
            " ORDER BY event, kind, text"
        )
        return tuple(Action(*row) for row in self._rows.read(sql, session=session))

    def save_action(self, session: str, action: Action) -> None:
        digest = hashlib.sha256(storable(action.text).encode()).hexdigest()
        self._rows.write(
            _SAVE_ACTION,
            session=session,
            kind=action.kind,
            digest=digest,
            text=action.text,
            event=action.event,
        )

    def failures(self, session: str) -> tuple[Failure, ...]:
        failures = self._failures("session = %(value)s", session, "event, fingerprint")
        return tuple(replaced(failure, session=session) for failure in failures)

    def failures_of(self, fingerprint: str) -> tuple[Failure, ...]:
        return self._failures("fingerprint = %(value)s", fingerprint, "session")

    def unresolved(self, command: str) -> tuple[Failure, ...]:
        where = "md5(command) = md5(%(value)s::text) AND command = %(value)s AND resolved_at IS NULL"
        return self._failures(where, command, "session, fingerprint")

    def save_failure(self, failure: Failure) -> None:
        names = _FAILURE.split(", ")
        self._rows.write(_SAVE_FAILURE, **{name: getattr(failure, name) for name in names})

    def fixes(self, fingerprint: str) -> list[UnifiedId]:
        sql = (
            "SELECT memory FROM fix WHERE project = %(project)s AND fingerprint = %(fingerprint)s"
            " ORDER BY memory"
        )
        return [row[0] for row in self._rows.read(sql, fingerprint=fingerprint)]

    def add_fix(self, fingerprint: str, memory: UnifiedId) -> None:
        sql = (
            "INSERT INTO fix (project, fingerprint, memory)"
            " VALUES (%(project)s, %(fingerprint)s, %(memory)s) ON CONFLICT DO NOTHING"
        )
        self._rows.write(sql, fingerprint=fingerprint, memory=memory)

    def keep_only(self, sessions: Collection[str], failures: int) -> None:
        with self._rows.transaction("sessions"):
            keep_sessions(self._rows, "action", sessions)
            self._rows.write(_DROP_FAILURES, failures=failures)

    def _failures(self, where: str, value: str, order: str) -> tuple[Failure, ...]:
        sql = f"SELECT {_FAILURE} FROM failure WHERE project = %(project)s AND {where} ORDER BY {order}"
        return tuple(Failure(*row) for row in self._rows.read(sql, value=value))
