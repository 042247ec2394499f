"""Adaptive thresholds: the PostgreSQL adapter of `ThresholdStore`."""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

from recollect.learning.thresholds import AdaptiveThreshold, Adjustment, DecisionKind, Execution
from recollect.storage.postgres.project_rows import ProjectRows

_PUT = """
INSERT INTO threshold (project, kind, content) VALUES (%(project)s, %(kind)s, %(content)s)
ON CONFLICT (project, kind) DO UPDATE SET content = excluded.content
"""


class PostgresThresholds:
    """Loads and saves thresholds."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def get(self, kind: DecisionKind) -> AdaptiveThreshold | None:
        sql = "SELECT content FROM threshold WHERE project = %(project)s AND kind = %(kind)s"
        rows = self._rows.read(sql, kind=kind)
        return _threshold(json.loads(rows[0][0])) if rows else None

    def put(self, threshold: AdaptiveThreshold) -> None:
        self._rows.write(_PUT, kind=threshold.kind, content=json.dumps(asdict(threshold)))

    def all(self) -> Sequence[AdaptiveThreshold]:
        rows = self._rows.read(
            "SELECT content FROM threshold WHERE project = %(project)s ORDER BY kind"
        )
        return [_threshold(json.loads(row[0])) for row in rows]

    def transaction(self) -> AbstractContextManager[None]:
        return self._rows.transaction("thresholds")


def _threshold(content: dict[str, Any]) -> AdaptiveThreshold:
    recent = tuple(Execution(**row) for row in content.pop("recent"))
    history = tuple(Adjustment(**row) for row in content.pop("history"))
    return AdaptiveThreshold(**content, recent=recent, history=history)
