"""How runs went, by what they were for: the PostgreSQL adapter of `EpisodeStore`."""

import json
from collections.abc import Sequence

from recollect.learning import retention
from recollect.learning.episodes import Episode
from recollect.storage.postgres.project_rows import ProjectRows

_ADD = """
INSERT INTO episode (project, number, context, at, outcome, content)
VALUES (%(project)s, %(number)s, %(context)s, %(at)s, %(outcome)s, %(content)s)
"""
_SELECT = "SELECT context, at, outcome, content FROM episode WHERE project = %(project)s"


class PostgresEpisodes:
    """Adds and reads episodes."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def add(self, episode: Episode) -> None:
        content = {
            "intent": episode.intent,
            "planned": list(episode.planned),
            "failed_at": episode.failed_at,
            "error": episode.error,
        }
        with self._rows.transaction("episodes"):
            number = self._rows.next_number("episode")
            self._rows.write(
                _ADD,
                number=number,
                context=episode.context,
                at=episode.at,
                outcome=episode.outcome,
                content=json.dumps(content),
            )
            self._rows.write(
                "DELETE FROM episode WHERE project = %(project)s AND number <= %(number)s",
                number=number - retention.MAX_EPISODES,
            )

    def of_context(self, context: str) -> Episode | None:
        sql = f"{_SELECT} AND context = %(context)s ORDER BY number DESC LIMIT 1"
        return next((_episode(*row) for row in self._rows.read(sql, context=context)), None)

    def latest(self, limit: int) -> Sequence[Episode]:
        sql = f"{_SELECT} ORDER BY number DESC LIMIT %(limit)s"
        return [_episode(*row) for row in self._rows.read(sql, limit=limit)]

    def prune(self, before: str) -> int:
        sql = "DELETE FROM episode WHERE project = %(project)s AND at < %(before)s RETURNING 1"
        with self._rows.transaction("episodes"):
            return len(self._rows.write(sql, before=before))


def _episode(context: str, at: str, outcome: str, content: str) -> Episode:
    fields = json.loads(content)
    planned = tuple(fields.pop("planned"))
    return Episode(context=context, at=at, outcome=outcome, planned=planned, **fields)  # type: ignore[arg-type]
