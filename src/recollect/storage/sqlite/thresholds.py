"""Adaptive thresholds in `state.db`: the SQLite adapter of `ThresholdStore`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from recollect.learning.thresholds import AdaptiveThreshold, Adjustment, DecisionKind, Execution

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection, StateTransaction


class SqliteThresholds:
    """Loads and saves thresholds."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def get(self, kind: DecisionKind) -> AdaptiveThreshold | None:
        rows = self._db.rows("SELECT content FROM threshold WHERE kind = ?", (kind,))
        return _threshold(json.loads(rows[0][0])) if rows else None

    def put(self, threshold: AdaptiveThreshold) -> None:
        content = json.dumps(asdict(threshold))
        sql = "INSERT OR REPLACE INTO threshold (kind, content) VALUES (?, ?)"
        self._db.rows(sql, (threshold.kind, content))

    def all(self) -> Sequence[AdaptiveThreshold]:
        rows = self._db.rows("SELECT content FROM threshold ORDER BY kind")
        return [_threshold(json.loads(row[0])) for row in rows]

    def transaction(self) -> "StateTransaction":
        return self._db.transaction()


def _threshold(content: dict[str, Any]) -> AdaptiveThreshold:
    recent = tuple(Execution(**row) for row in content.pop("recent"))
    history = tuple(Adjustment(**row) for row in content.pop("history"))
    return AdaptiveThreshold(**content, recent=recent, history=history)
