"""The kept vectors: a plain matrix of floats beside the index, mapped into memory, searched exactly.

Rows are only ever appended; the index's `passage` table says which row is whose. A row that no document
claims any more is dead; when half are, the rows still in use are written to a new file.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.retrieval.index import Filters, Index, Key
from recollect.retrieval.vectors import head, passages
from recollect.storage.models.embedder import Embedder, Floats

_COMMIT_EVERY = 200  # documents: what a kill loses
_WORTH_COMPACTING = 1000  # dead rows
_DEAD = -1  # owns the rows that no document claims


class MatrixVectors:
    """Vectors of the documents of one index. Fills the `Vectors` port."""

    def __init__(self, db: sqlite3.Connection, folder: Path | None, embedder: Embedder) -> None:
        self._db, self._folder, self._embedder = db, folder, embedder
        self._memory: Floats = np.zeros((0, 1), dtype=np.float32)
        self._runs: _Runs | None = None

    @property
    def model(self) -> str:
        return self._embedder.version

    def missing(self) -> int:
        """How many documents have no vectors of this model yet."""
        sql = "SELECT count(*) FROM document"
        if self._meta("model") == self.model:
            sql += " WHERE key NOT IN (SELECT document FROM passage)"
        return int(self._db.execute(sql).fetchone()[0])

    def embed(self, progress: Callable[[int, int], None] | None = None, most: int | None = None) -> int:
        """Embed what has no vectors yet, or the first `most` of it; a changed model starts anew.

        Returns how many documents were embedded.
        """
        if self._meta("model") != self.model:
            self._begin(self._memory[:0], {})
        else:
            self._compact()
        sql = "SELECT key, title, body FROM document WHERE key NOT IN (SELECT document FROM passage)"
        waiting = list(self._db.execute(f"{sql} ORDER BY key LIMIT ?", (-1 if most is None else most,)))
        for start in range(0, len(waiting), _COMMIT_EVERY):
            self._append(waiting[start : start + _COMMIT_EVERY])
            if progress:
                progress(min(start + _COMMIT_EVERY, len(waiting)), len(waiting))
        self._runs = None
        return len(waiting)

    def _compact(self) -> None:
        """Write the rows in use to a new matrix when half of this one is dead."""
        total = int(self._meta("rows") or 0)
        owned = dict(self._db.execute("SELECT slot, document FROM passage ORDER BY slot"))
        if total - len(owned) > max(total // 2, _WORTH_COMPACTING):
            self._begin(self._mapped(total, int(self._meta("width") or 1))[list(owned)], owned)

    def _begin(self, rows: Floats, owned: dict[int, int]) -> None:
        """Start a matrix with these rows. Readers of the one before keep it until they are done."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("DELETE FROM passage")
        generation = int(self._meta("generation") or 0) + 1
        told = {"model": self.model, "generation": str(generation), "rows": "0"}
        for key, value in told.items():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        self._claim(rows, list(owned.values()))
        self._db.execute("COMMIT")
        if self._folder:
            for old in self._folder.glob("vectors-*.f32"):
                if old != self._path():
                    old.unlink(missing_ok=True)

    def _append(self, documents: Sequence[tuple[int, str, str]]) -> None:
        texts = [(key, text) for key, title, body in documents for text in passages(head(title, body))]
        vectors = np.stack(list(self._embedder.passages([text for _, text in texts])))
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._claim(vectors, [key for key, _ in texts])
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _claim(self, vectors: Floats, owners: Sequence[int]) -> None:
        """Write vectors behind the last row, and say whose they are. Inside a transaction."""
        if not owners:
            return
        first, width = int(self._meta("rows") or 0), vectors.shape[1]
        if self._folder is None:
            self._memory = np.concatenate([self._memory[:first].reshape(first, width), vectors])
        else:
            path = self._path()
            with path.open("r+b" if path.exists() else "w+b") as file:
                file.seek(first * width * 4)
                file.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
        rows = [(first + place, owner) for place, owner in enumerate(owners)]
        self._db.executemany("INSERT INTO passage VALUES (?, ?)", rows)
        for key, value in {"rows": first + len(rows), "width": width}.items():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, str(value)))

    def _path(self) -> Path:
        assert self._folder is not None
        return self._folder / f"vectors-{self._meta('generation') or 1}.f32"

    def _meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        runs = self._loaded()
        if not len(runs.owners):
            return []
        best = np.maximum.reduceat(runs.rows @ self._embedder.query(text), runs.starts)
        hidden = np.asarray([_DEAD, *index.excluded(filters)], dtype=np.int64)
        best = np.where(np.isin(runs.owners, hidden), -2.0, best)
        take = min(limit, len(best))
        top = np.argpartition(-best, take - 1)[:take]
        ranked = sorted((-float(best[run]), int(runs.owners[run])) for run in top if best[run] > -2.0)
        return [(Key(owner), -negative) for negative, owner in ranked]

    def _loaded(self) -> "_Runs":
        """The matrix as it was at one moment, and whose its rows are."""
        if self._runs is None:
            self._db.execute("BEGIN")
            try:
                total, width = int(self._meta("rows") or 0), int(self._meta("width") or 1)
                slots = list(self._db.execute("SELECT slot, document FROM passage"))
                rows = self._mapped(total, width)
            finally:
                self._db.execute("COMMIT")
            owners = np.full(total, _DEAD, dtype=np.int64)
            for slot, owner in slots:
                owners[slot] = owner
            starts = np.flatnonzero(np.diff(owners, prepend=_DEAD - 1))
            self._runs = _Runs(rows, starts, owners[starts])
        return self._runs

    def _mapped(self, total: int, width: int) -> Floats:
        if self._folder is None or not total:
            return self._memory[:total]
        return np.memmap(self._path(), dtype=np.float32, mode="r", shape=(total, width))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The rows, and the runs of them that belong to one document each."""

    rows: Floats
    starts: NDArray[np.int64]
    owners: NDArray[np.int64]
