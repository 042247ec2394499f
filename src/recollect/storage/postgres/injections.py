"""Injections into prompts, and whether they were used: the PostgreSQL adapter of `InjectionStore`."""

import json
import secrets
from collections.abc import Collection, Sequence

from recollect.ids import UnifiedId
from recollect.storage.postgres.project_rows import ProjectRows
from recollect.storage.postgres.sessions import keep_sessions
from recollect.storage.postgres.traces import ADD_PARAMS, ADD_TRACE, params_digest
from recollect.working.session_state import GateScoring, Impact, Injection

_COLUMNS = "session, memory, at, probability, used, compaction, event"
_SAVE = f"""
INSERT INTO injection (project, {_COLUMNS}) VALUES (%(project)s, %(session)s, %(memory)s, %(at)s,
    %(probability)s, %(used)s, %(compaction)s, %(event)s)
ON CONFLICT (project, session, memory, compaction) DO UPDATE SET at = excluded.at,
    probability = excluded.probability, used = excluded.used, event = excluded.event
"""
_ADD_WAITING = """
INSERT INTO waiting_memory (project, session, memory) VALUES (%(project)s, %(session)s, %(memory)s)
ON CONFLICT DO NOTHING
"""


class PostgresInjections:
    """Loads and saves injections."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def of_session(self, session: str) -> list[Injection]:
        sql = (
            f"SELECT {_COLUMNS} FROM injection WHERE project = %(project)s AND session = %(session)s"
            " ORDER BY memory, compaction"
        )
        return [Injection(session, *row[1:]) for row in self._rows.read(sql, session=session)]

    def save(self, injections: Sequence[Injection]) -> None:
        names = _COLUMNS.split(", ")
        self._rows.write_many(
            _SAVE, [{name: getattr(each, name) for name in names} for each in injections]
        )

    def add_scoring(self, session: str, scoring: GateScoring, at: str) -> None:
        params = json.dumps(dict(scoring.params), sort_keys=True)
        number = self._rows.next_number("trace")
        self._rows.write(ADD_PARAMS, digest=params_digest(params), content=params)
        self._rows.write(
            ADD_TRACE,
            number=number,
            scoring=secrets.token_hex(6),
            at=f"{at[:19]}Z",
            kind="gate",
            context=scoring.context,
            session=session,
            candidate=scoring.candidate,
            signals=json.dumps(dict(scoring.signals)),
            params=params_digest(params),
            score=scoring.score,
            threshold=scoring.threshold,
            decision=scoring.decision,
            milliseconds=round(scoring.milliseconds, 3),
        )

    def waiting(self, session: str) -> list[UnifiedId]:
        sql = (
            "SELECT memory FROM waiting_memory WHERE project = %(project)s AND session = %(session)s"
            " ORDER BY memory"
        )
        return [row[0] for row in self._rows.read(sql, session=session)]

    def add_waiting(self, session: str, memories: Sequence[UnifiedId]) -> None:
        rows = [{"session": session, "memory": memory} for memory in memories]
        self._rows.write_many(_ADD_WAITING, rows)

    def clear_waiting(self, session: str) -> None:
        self._rows.write(
            "DELETE FROM waiting_memory WHERE project = %(project)s AND session = %(session)s",
            session=session,
        )

    def keep_only(self, sessions: Collection[str]) -> None:
        keep_sessions(self._rows, "waiting_memory", sessions)

    def latest(self, limit: int) -> list[Injection]:
        sql = (
            f"SELECT {_COLUMNS} FROM injection WHERE project = %(project)s"
            " ORDER BY at DESC, session, memory LIMIT %(limit)s"
        )
        return [Injection(*row) for row in self._rows.read(sql, limit=limit)]

    def impact(self) -> list[Impact]:
        sql = (
            "SELECT memory, count(*), count(used) FROM injection WHERE project = %(project)s"
            " GROUP BY memory ORDER BY count(*) DESC, memory"
        )
        return [Impact(*row) for row in self._rows.read(sql)]
