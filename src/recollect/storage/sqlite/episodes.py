"""Episodes in `state.db`: the SQLite adapter of `EpisodeStore`."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.learning import retention
from recollect.learning.episodes import Episode
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection

_COLUMNS = "context, at, outcome, content"


class SqliteEpisodes:
    """Adds and reads episodes. Safe for many processes at once."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def add(self, episode: Episode) -> None:
        content = json.dumps(
            {
                "intent": episode.intent,
                "planned": list(episode.planned),
                "failed_at": episode.failed_at,
                "error": episode.error,
            }
        )
        with self._db.transaction():
            self._db.rows(
                f"INSERT INTO episode ({_COLUMNS}) VALUES (?, ?, ?, ?)",
                (storable(episode.context), episode.at, episode.outcome, content),
            )
            self._db.rows(
                "DELETE FROM episode WHERE key <= (SELECT max(key) FROM episode) - ?",
                (retention.MAX_EPISODES,),
            )

    def of_context(self, context: str) -> Episode | None:
        sql = f"SELECT {_COLUMNS} FROM episode WHERE context = ? ORDER BY key DESC LIMIT 1"
        return next((_episode(*row) for row in self._db.rows(sql, (storable(context),))), None)

    def latest(self, limit: int) -> Sequence[Episode]:
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM episode ORDER BY key DESC LIMIT ?", (limit,))
        return [_episode(*row) for row in rows]

    def prune(self, before: str) -> int:
        return len(self._db.rows("DELETE FROM episode WHERE at < ? RETURNING key", (before,)))


def _episode(context: str, at: str, outcome: str, content: str) -> Episode:
    fields = json.loads(content)
    planned = tuple(fields.pop("planned"))
    return Episode(context=context, at=at, outcome=outcome, planned=planned, **fields)  # type: ignore[arg-type]
