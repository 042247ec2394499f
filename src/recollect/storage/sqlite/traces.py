"""Traces of scorings in `state.db`: the SQLite adapter of `TraceStore`.

Parameters repeat from scoring to scoring and are stored once for all of them. The prompt hook adds the rows
of the gate itself, in the transaction that records the injection (`SqliteInjections.add_scoring`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from recollect import clock
from recollect.learning import retention
from recollect.learning.open_scorings import Attachment
from recollect.learning.trace import CandidateTrace, Kind, Scoring, Signals
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection

_PRUNED = 5_000  # of the oldest traces are looked at for their age each time
_ADD = (
    "INSERT INTO trace (scoring, at, kind, context, session, candidate, signals, params, score, threshold,"
    " decision, milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SELECT = (
    "SELECT scoring, at, kind, context, session, candidate, signals, content, score, threshold, decision,"
    " milliseconds, outcome FROM trace JOIN trace_params ON trace_params.key = trace.params"
)
_INJECTIONS = "injection WHERE injection.session = trace.session AND injection.at = trace.at"
_GATE = "kind = 'gate' AND decision = 'accepted' AND session <> ''"


class SqliteTraces:
    """Adds and reads traces. Safe for many processes at once."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def add(self, scorings: Sequence[Scoring], now: str) -> None:
        contents = [json.dumps(dict(scoring.params), sort_keys=True) for scoring in scorings]
        with self._db.transaction():
            keys = {content: self._params(content) for content in set(contents)}
            pairs = zip(scorings, contents, strict=True)
            rows = (row for scoring, content in pairs for row in _rows(scoring, keys[content]))
            self._db.write_many(_ADD, rows)
            self._prune(now)

    def _params(self, content: str) -> int:
        """The key of a set of parameters, which is added if it is new."""
        self._db.rows("INSERT OR IGNORE INTO trace_params (content) VALUES (?)", (content,))
        sql = "SELECT key FROM trace_params WHERE content = ?"
        return int(self._db.rows(sql, (content,))[0][0])

    def _prune(self, now: str) -> None:
        oldest = clock.to_text(clock.from_text(now) - timedelta(days=retention.MAX_TRACE_DAYS))
        surplus = "DELETE FROM trace WHERE key <= (SELECT max(key) FROM trace) - ?"
        self._db.rows(surplus, (retention.MAX_TRACES,))
        first = self._db.rows("SELECT at FROM trace ORDER BY key LIMIT 1")
        if (
            first and first[0][0] < oldest
        ):  # most writes find none, and looking at 5,000 rows takes 1 ms
            self._db.rows(
                "DELETE FROM trace WHERE at < ? AND key < (SELECT min(key) FROM trace) + ?",
                (oldest, _PRUNED),
            )
        self._db.rows(
            "DELETE FROM trace_params WHERE (SELECT count(*) FROM trace_params) > ?"
            " AND key NOT IN (SELECT params FROM trace)",
            (retention.MAX_PARAMS,),
        )

    def attach(self, attachments: Iterable[Attachment]) -> None:
        with self._db.transaction():
            for attachment in attachments:
                self._db.rows(
                    "UPDATE trace SET outcome = ? WHERE scoring = ? AND candidate = ?"
                    " AND (outcome IS NULL OR outcome = 'ignored')",
                    (attachment.outcome, attachment.scoring, storable(attachment.candidate)),
                )
                self._ignore(attachment.scoring)

    def ignore(self, scorings: Iterable[str]) -> None:
        with self._db.transaction():
            for scoring in scorings:
                self._ignore(scoring)

    def _ignore(self, scoring: str) -> None:
        sql = "UPDATE trace SET outcome = 'ignored' WHERE scoring = ? AND outcome IS NULL"
        self._db.rows(sql, (scoring,))

    def settle(self, now: str) -> None:
        yesterday = clock.to_text(clock.from_text(now) - timedelta(days=1))
        with self._db.transaction():
            self._db.rows(
                f"UPDATE trace SET outcome = 'succeeded' WHERE {_GATE} AND (outcome IS NULL"
                f" OR outcome = 'ignored') AND EXISTS (SELECT 1 FROM {_INJECTIONS} AND used IS NOT NULL)"
            )
            self._db.rows(
                f"UPDATE trace SET outcome = 'ignored' WHERE {_GATE} AND outcome IS NULL"
                f" AND EXISTS (SELECT 1 FROM {_INJECTIONS} AND (trace.at < ?1 OR event + ?2 <="
                " (SELECT events FROM session WHERE session.id = trace.session)))",
                (yesterday, retention.SETTLED_AFTER),
            )

    def latest(
        self, limit: int, kind: Kind | None = None, *, with_outcome: bool = False
    ) -> Sequence[CandidateTrace]:
        tests = ["kind = ?"] if kind else []
        tests += ["outcome IS NOT NULL"] if with_outcome else []
        chosen = f"WHERE {' AND '.join(tests)}" if tests else ""
        newest = f"SELECT key FROM trace {chosen} ORDER BY key DESC LIMIT ?"
        sql = f"{_SELECT} WHERE trace.key IN ({newest}) ORDER BY trace.key"
        return _newest_first(self._read(sql, (*([kind] if kind else []), limit)))

    def of_scoring(self, start: str) -> Sequence[CandidateTrace]:
        after = f"{start}\U0010ffff"
        sql = f"{_SELECT} WHERE scoring >= ? AND scoring < ? ORDER BY trace.key"
        traces = self._read(sql, (storable(start), after))
        return traces if len({trace.scoring for trace in traces}) == 1 else []

    def counts(self) -> Mapping[Kind, int]:
        return dict(self._db.rows("SELECT kind, count(*) FROM trace GROUP BY kind ORDER BY kind"))

    def _read(self, sql: str, values: Sequence[object]) -> list[CandidateTrace]:
        return [_trace(row) for row in self._db.rows(sql, values)]


def _newest_first(traces: Sequence[CandidateTrace]) -> list[CandidateTrace]:
    by_scoring: dict[str, list[CandidateTrace]] = {}
    for trace in traces:
        by_scoring.setdefault(trace.scoring, []).append(trace)
    return [trace for group in reversed(by_scoring.values()) for trace in group]


def _rows(scoring: Scoring, params: int) -> Iterable[tuple[Any, ...]]:
    session, took = storable(scoring.session), round(scoring.milliseconds, 3)
    start = (scoring.id, scoring.at, scoring.kind, scoring.context, session)
    threshold = scoring.threshold
    for candidate in scoring.candidates:
        name, signals = storable(candidate.name), _json(candidate.signals)
        yield (*start, name, signals, params, candidate.score, threshold, candidate.decision, took)


def _json(signals: Signals) -> str:
    """Signals as JSON, in a third of the time of `json.dumps`. Their names need no escapes."""
    pairs = [f'"{name}": {"null" if value is None else repr(value)}' for name, value in signals.items()]
    return f"{{{', '.join(pairs)}}}"


def _trace(row: tuple[Any, ...]) -> CandidateTrace:
    scoring, at, kind, context, session, candidate, signals, params, *others = row
    facts = (scoring, at, kind, context, session, candidate)
    return CandidateTrace(*facts, json.loads(signals), json.loads(params), *others)
