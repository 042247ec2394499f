"""Traces of scorings: the PostgreSQL adapter of `TraceStore`.

Parameters repeat from scoring to scoring and are stored once for all of them. Numbers count the traces of a
project, so that the newest can be counted off.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from recollect import clock
from recollect.learning import retention
from recollect.learning.open_scorings import Attachment
from recollect.learning.trace import CandidateTrace, Kind, Scoring
from recollect.storage.postgres.project_rows import ProjectRows, Row

_COLUMNS = (
    "scoring, at, kind, context, session, candidate, signals, params, score, threshold, decision,"
    " milliseconds"
)
ADD_TRACE = f"""
INSERT INTO trace (project, number, {_COLUMNS}) VALUES (%(project)s, %(number)s,
    {", ".join(f"%({name})s" for name in _COLUMNS.split(", "))})
"""
ADD_PARAMS = """
INSERT INTO trace_params (project, digest, content) VALUES (%(project)s, %(digest)s, %(content)s)
ON CONFLICT DO NOTHING
"""
_SELECT = """
SELECT scoring, at, kind, context, session, candidate, signals, content, score, threshold, decision,
    milliseconds, outcome
FROM trace JOIN trace_params
    ON trace_params.project = trace.project AND trace_params.digest = trace.params
WHERE trace.project = %(project)s
"""
_PRUNE_NUMBER = "DELETE FROM trace WHERE project = %(project)s AND number <= %(number)s"
_PRUNE_AGE = "DELETE FROM trace WHERE project = %(project)s AND at < %(oldest)s"
_PRUNE_PARAMS = """
DELETE FROM trace_params WHERE project = %(project)s
    AND (SELECT count(*) FROM trace_params WHERE project = %(project)s) > %(most)s
    AND digest NOT IN (SELECT params FROM trace WHERE project = %(project)s)
"""
_ATTACH = """
UPDATE trace SET outcome = %(outcome)s WHERE project = %(project)s AND scoring = %(scoring)s
    AND candidate = %(candidate)s AND (outcome IS NULL OR outcome = 'ignored')
"""
_IGNORE = """
UPDATE trace SET outcome = 'ignored'
WHERE project = %(project)s AND scoring = %(scoring)s AND outcome IS NULL
"""
_GATE = "trace.project = %(project)s AND kind = 'gate' AND decision = 'accepted' AND session <> ''"
_INJECTIONS = """
    injection WHERE injection.project = %(project)s AND injection.session = trace.session
    AND injection.at = trace.at
"""
_SETTLE_USED = f"""
UPDATE trace SET outcome = 'succeeded' WHERE {_GATE} AND (outcome IS NULL OR outcome = 'ignored')
    AND EXISTS (SELECT 1 FROM {_INJECTIONS} AND used IS NOT NULL)
"""
_SETTLE_IGNORED = f"""
UPDATE trace SET outcome = 'ignored' WHERE {_GATE} AND outcome IS NULL
    AND EXISTS (SELECT 1 FROM {_INJECTIONS} AND (trace.at < %(yesterday)s OR event + %(after)s <= (
        SELECT events FROM session WHERE session.project = %(project)s AND session.id = trace.session)))
"""


def params_digest(content: str) -> str:
    """What names a set of parameters."""
    return hashlib.sha256(content.encode()).hexdigest()[:32]


class PostgresTraces:
    """Adds and reads traces."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def add(self, scorings: Sequence[Scoring], now: str) -> None:
        count = sum(len(scoring.candidates) for scoring in scorings)
        with self._rows.transaction("traces"):
            last = self._rows.next_number("trace", count)
            numbers = iter(range(last - count + 1, last + 1))
            params = {_params(scoring) for scoring in scorings}
            digests = [{"digest": params_digest(each), "content": each} for each in sorted(params)]
            self._rows.write_many(ADD_PARAMS, digests)
            self._rows.write_many(
                ADD_TRACE,
                [
                    {"number": next(numbers), **row}
                    for scoring in scorings
                    for row in _scoring_rows(scoring)
                ],
            )
            self._prune(now, last)

    def _prune(self, now: str, last: int) -> None:
        oldest = clock.to_text(clock.from_text(now) - timedelta(days=retention.MAX_TRACE_DAYS))
        self._rows.write(_PRUNE_NUMBER, number=last - retention.MAX_TRACES)
        self._rows.write(_PRUNE_AGE, oldest=oldest)
        self._rows.write(_PRUNE_PARAMS, most=retention.MAX_PARAMS)

    def attach(self, attachments: Iterable[Attachment]) -> None:
        with self._rows.transaction("traces"):
            for each in attachments:
                self._rows.write(
                    _ATTACH, outcome=each.outcome, scoring=each.scoring, candidate=each.candidate
                )
                self._rows.write(_IGNORE, scoring=each.scoring)

    def ignore(self, scorings: Iterable[str]) -> None:
        with self._rows.transaction("traces"):
            for scoring in scorings:
                self._rows.write(_IGNORE, scoring=scoring)

    def settle(self, now: str) -> None:
        yesterday = clock.to_text(clock.from_text(now) - timedelta(days=1))
        with self._rows.transaction("traces"):
            self._rows.write(_SETTLE_USED)
            self._rows.write(_SETTLE_IGNORED, yesterday=yesterday, after=retention.SETTLED_AFTER)

    def latest(
        self, limit: int, kind: Kind | None = None, *, with_outcome: bool = False
    ) -> Sequence[CandidateTrace]:
        tests = " AND kind = %(kind)s" if kind else ""
        tests += " AND outcome IS NOT NULL" if with_outcome else ""
        sql = f"{_SELECT}{tests} ORDER BY number DESC LIMIT %(limit)s"
        traces = self._read(sql, kind=kind, limit=limit) if kind else self._read(sql, limit=limit)
        return _newest_first(traces[::-1])

    def of_scoring(self, start: str) -> Sequence[CandidateTrace]:
        sql = f"{_SELECT} AND scoring >= %(start)s AND scoring < %(after)s ORDER BY number"
        traces = self._read(sql, start=start, after=f"{start}\U0010ffff")
        return traces if len({trace.scoring for trace in traces}) == 1 else []

    def counts(self) -> Mapping[Kind, int]:
        sql = "SELECT kind, count(*) FROM trace WHERE project = %(project)s GROUP BY kind ORDER BY kind"
        return dict(self._rows.read(sql))

    def _read(self, sql: str, **values: object) -> list[CandidateTrace]:
        return [_trace(row) for row in self._rows.read(sql, **values)]


def _newest_first(traces: Sequence[CandidateTrace]) -> list[CandidateTrace]:
    by_scoring: dict[str, list[CandidateTrace]] = {}
    for trace in traces:
        by_scoring.setdefault(trace.scoring, []).append(trace)
    return [trace for group in reversed(by_scoring.values()) for trace in group]


def _params(scoring: Scoring) -> str:
    return json.dumps(dict(scoring.params), sort_keys=True)


def _scoring_rows(scoring: Scoring) -> Iterable[dict[str, object]]:
    for candidate in scoring.candidates:
        yield {
            "scoring": scoring.id,
            "at": scoring.at,
            "kind": scoring.kind,
            "context": scoring.context,
            "session": scoring.session,
            "candidate": candidate.name,
            "signals": json.dumps(dict(candidate.signals)),
            "params": params_digest(_params(scoring)),
            "score": candidate.score,
            "threshold": scoring.threshold,
            "decision": candidate.decision,
            "milliseconds": round(scoring.milliseconds, 3),
        }


def _trace(row: Row) -> CandidateTrace:
    scoring, at, kind, context, session, candidate, signals, params, *others = row
    facts = (scoring, at, kind, context, session, candidate)
    return CandidateTrace(*facts, json.loads(signals), json.loads(params), *others)
