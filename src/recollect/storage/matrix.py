"""The vectors: a matrix of floats beside the index, memory-mapped and searched exactly.

Rows are only appended; the index's `passage` table records the document of each row. A row without a
document is dead; when half of them are, the rows in use are written to a new file.
"""

import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from recollect.paths import open_folder
from recollect.retrieval.index import Filters, Index, Key
from recollect.retrieval.vectors import head, passages
from recollect.storage import private
from recollect.storage.models.embedder import CachingEmbedder, Embedder, Floats, embedded
from recollect.storage.sqlite.passages import PassageTable

_COMMIT_EVERY = 50  # documents per transaction, which is what a killed process loses
_WORTH_COMPACTING = 1000  # dead rows
_MATRIX_NAME = re.compile(r"vectors-.*\.f32", re.DOTALL)
_FLAGS = {"rb": os.O_RDONLY, "r+b": os.O_RDWR, "w+b": os.O_RDWR | os.O_TRUNC}
_DEAD = -1  # owns the rows that no document claims
_HIDDEN = -2.0  # below every cosine
_FEEDBACK_FROM = 3  # documents
# The rounding of a matrix product depends on the position of a row. Rows this close to the cutoff are
# computed again one by one, so that equal texts get equal scores wherever they are.
_NEAR = 1e-5


class MatrixVectors:
    """Vectors of the documents of one index. Fills the `Vectors` port."""

    def __init__(self, table: PassageTable, folder: Path | None, embedder: Embedder) -> None:
        self._table, self._folder, self._embedder = table, folder, embedder
        self._memory: Floats = np.zeros((0, 1), dtype=np.float32)
        self._runs: _Runs | None = None

    @property
    def model(self) -> str:
        return self._embedder.version

    def missing(self) -> int:
        """How many documents have no vectors of this model yet."""
        return self._table.count_missing() if self._is_complete() else self._table.count_documents()

    def embed(
        self,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed documents without vectors until none is left, or until `stop`; a changed model starts over.

        Returns how many documents were embedded.
        """
        self._prepare()
        done, total = 0, self._table.count_missing()
        while documents := self._table.missing(_COMMIT_EVERY):
            recorded = self._record(embedded(self._embedder, documents, stop))
            done += recorded
            if progress and recorded:
                progress(min(done, total), total)
            if recorded < len(documents):
                break
        return done

    def _overwrite_dead(self) -> None:
        """Overwrite the rows that belong to no document any more."""
        with self._table.writing():
            total, width = self._shape()
            if self._folder is None or not total or not self._is_complete():
                return
            dead = set(range(total)).difference(slot for slot, _ in self._table.owners())
            with self._opened("r+b") as file:
                for slot in sorted(dead):
                    file.seek(slot * width * 4)
                    file.write(bytes(width * 4))

    def forget(self, title: str, body: str) -> None:
        """Overwrite the rows of deleted documents, and delete the cached vectors of this one's passages."""
        self._overwrite_dead()
        if isinstance(self._embedder, CachingEmbedder):
            self._embedder.forget(passages(head(title, body)))

    def _is_complete(self) -> bool:
        """Whether the file is a matrix of this model with all of its rows, and not a symlink."""
        if self._table.get_property("model") != self.model:
            return False
        total, width = self._shape()
        if self._folder is None:
            return len(self._memory) >= total
        if not total:
            return not self._path().is_symlink()
        try:
            with self._opened("rb") as file:
                return os.fstat(file.fileno()).st_size >= total * width * 4
        except OSError:
            return False

    def _prepare(self) -> None:
        """Start a new matrix when this one is another model's, incomplete, or half dead."""
        with self._table.writing():
            total, width = self._shape()
            if not self._is_complete():
                self._begin(self._memory[:0], [])
            elif total - self._table.count_rows() > max(total // 2, _WORTH_COMPACTING):
                owned = dict(self._table.owners())
                self._begin(self._mapped(total, width)[list(owned)], list(owned.values()))
        if self._folder is not None:
            in_use = {self._table.get_property("matrix"), self._table.get_property("matrix_before")}
            folder = open_folder(str(self._folder))
            try:
                for name in os.listdir(folder):
                    if _MATRIX_NAME.fullmatch(name) and name not in in_use:
                        os.unlink(name, dir_fd=folder)
            finally:
                os.close(folder)

    def _begin(self, rows: Floats, owners: Sequence[int]) -> None:
        """Start a matrix with these rows. Readers may use the previous one until the next is started."""
        before = self._table.get_property("matrix") or ""
        self._table.clear()
        self._table.set_properties(
            model=self.model, matrix=f"vectors-{uuid4().hex[:12]}.f32", matrix_before=before, rows=0
        )
        self._claim(rows, owners)

    def _record(self, vectors: Mapping[int, Sequence[Floats]]) -> int:
        """Append the rows of these documents; returns how many documents that are."""
        if not vectors:
            return 0
        with self._table.writing():
            if not self._is_complete():
                return 0  # another process began a matrix of another model
            waiting = self._table.still_missing(list(vectors))
            owners = [key for key, rows in vectors.items() if key in waiting for _ in rows]
            rows = [row for key in vectors if key in waiting for row in vectors[key]]
            if rows:
                self._claim(np.stack(rows), owners)
        return len(vectors)

    def _claim(self, vectors: Floats, owners: Sequence[int]) -> None:
        """Append vectors and record their documents. Call it inside a transaction."""
        if not owners:
            return
        first, width = self._shape()[0], vectors.shape[1]
        if self._folder is None:
            self._memory = np.concatenate([self._memory[:first].reshape(first, width), vectors])
        else:
            with self._opened("r+b" if first else "w+b") as file:
                file.seek(first * width * 4)
                file.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
        self._table.add(first, owners)
        self._table.set_properties(rows=first + len(owners), width=width)

    def _opened(self, mode: Literal["rb", "r+b", "w+b"]) -> BinaryIO:
        """The file of the matrix, opened from its folder's handle. Raises OSError for a link."""
        folder = open_folder(str(self._folder))
        try:
            if mode == "w+b":
                private.make_file(folder, self._path().name)
            flags = _FLAGS[mode] | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(self._path().name, flags, dir_fd=folder)
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError("not a plain file")
        return os.fdopen(handle, mode)

    def _path(self) -> Path:
        assert self._folder is not None
        return self._folder / Path(self._table.get_property("matrix") or "vectors-none.f32").name

    def _shape(self) -> tuple[int, int]:
        return int(self._table.get_property("rows") or 0), int(self._table.get_property("width") or 1)

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int, *, feedback: float = 0.0
    ) -> Sequence[tuple[Key, float]]:
        with self._table.snapshot():
            runs = self._loaded()
            if not len(runs.owners):
                return []
            query = self._embedder.query(text)
            hidden = np.asarray([_DEAD, *index.excluded(filters)], dtype=np.int64)
            unseen = np.isin(runs.owners, hidden)
            best = np.where(unseen, _HIDDEN, np.maximum.reduceat(runs.rows @ query, runs.starts))
            if feedback:
                query = _moved_towards(query, runs, _top(best, _FEEDBACK_FROM), feedback)
                best = np.where(unseen, _HIDDEN, np.maximum.reduceat(runs.rows @ query, runs.starts))
            cosines = _exact(runs, query, _top(best, limit))
            facts = index.facts([Key(owner) for owner in cosines])
        ranked = sorted(facts, key=lambda key: (-cosines[key], facts[key].priority, facts[key].id))
        return [(key, cosines[key]) for key in ranked[:limit]]

    def _loaded(self) -> "_Runs":
        """The matrix and the documents of its rows, read again when the index has changed."""
        version = self._table.version()
        if self._runs is None or self._runs.version != version:
            self._runs = self._read(version)
        return self._runs

    def _read(self, version: tuple[int, int]) -> "_Runs":
        total, width = self._shape() if self._is_complete() else (0, 1)
        owners = np.full(total, _DEAD, dtype=np.int64)
        if total:
            pairs = np.asarray(self._table.owners(), dtype=np.int64).reshape(-1, 2)
            owners[pairs[:, 0]] = pairs[:, 1]
        starts = np.flatnonzero(np.diff(owners, prepend=_DEAD - 1))
        return _Runs(version, self._mapped(total, width), starts, owners[starts])

    def _mapped(self, total: int, width: int) -> Floats:
        if self._folder is None or not total:
            return self._memory[:total]
        with self._opened("rb") as file:
            return np.memmap(file, dtype=np.float32, mode="r", shape=(total, width))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The rows of one version, and the runs of rows that belong to one document each."""

    version: tuple[int, int]
    rows: Floats
    starts: NDArray[np.int64]
    owners: NDArray[np.int64]


def _top(best: Floats, limit: int) -> NDArray[np.int64]:
    """The runs among the best, with those so close that rounding could put them there."""
    take = min(limit, int(np.count_nonzero(best > _HIDDEN)))
    if not take:
        return np.zeros(0, dtype=np.int64)
    edge = np.partition(best, -take)[-take] - _NEAR
    return np.flatnonzero(best >= edge)


def _moved_towards(query: Floats, runs: "_Runs", chosen: NDArray[np.int64], by: float) -> Floats:
    """The query moved towards the best passages of these runs: pseudo-relevance feedback (Rocchio)."""
    if not len(chosen):
        return query
    ends = np.append(runs.starts[1:], len(runs.rows))
    rows = [runs.rows[runs.starts[run] : ends[run]] for run in chosen]
    best = np.stack([some[int(np.argmax(some @ query))] for some in rows]).astype(np.float64)
    # Rounded, so that the order of the rows has no effect.
    moved = np.round(query + by * best.mean(axis=0), 6)
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


def _exact(runs: _Runs, query: Floats, chosen: NDArray[np.int64]) -> dict[Key, float]:
    """The cosine of the best passage of each of these runs, to the bit."""
    if not len(chosen):
        return {}
    lengths = np.append(runs.starts[1:], len(runs.rows))[chosen] - runs.starts[chosen]
    firsts = np.cumsum(lengths) - lengths
    places = np.arange(lengths.sum()) - np.repeat(firsts - runs.starts[chosen], lengths)
    products = runs.rows[places].astype(np.float64) * query.astype(np.float64)
    best = np.maximum.reduceat(products.sum(axis=1), firsts)
    return {
        Key(owner): cosine
        for owner, cosine in zip(runs.owners[chosen].tolist(), best.tolist(), strict=True)
    }
