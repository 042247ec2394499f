"""What an embedder is, and one that remembers."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_NEAR_ONE = 1e-3  # how far from one a vector's length may be; another's has gone bad
MOST_KEPT = 300_000  # vectors; at 384 numbers each, half a gigabyte
_TABLE = "CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, floats BLOB NOT NULL)"


class Embedder(Protocol):
    """Text in, unit vector out. `version` names the model's very bytes and how they are read."""

    version: str

    def query(self, text: str) -> Floats:
        """The vector of something asked."""
        ...

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        """The vectors of things to be found."""
        ...


class RememberingEmbedder:
    """An embedder that reads a passage only once on this machine, whatever index wants it.

    Switching branches and deleting an index cost nothing then. The model behind it is loaded when
    something new comes. What cannot be remembered (a full or read-only disk) is computed again.
    """

    def __init__(self, version: str, load: Callable[[], Embedder], folder: Path) -> None:
        self.version = version
        self._load = load
        self._model: Embedder | None = None
        self._db = _opened(folder / f"{version}.db")

    @property
    def model(self) -> Embedder:
        """The model itself, loaded on first use."""
        if self._model is None:
            self._model = self._load()
        return self._model

    def query(self, text: str) -> Floats:
        return self.model.query(text)

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        for text in texts:
            key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            known = self._recalled(key)
            yield self._learned(key, text) if known is None else known

    def _recalled(self, key: bytes) -> Floats | None:
        try:
            row = self._db.execute("SELECT floats FROM vector WHERE text = ?", (key,)).fetchone()
            vector = np.frombuffer(row[0], dtype=np.float32) if row else np.zeros(0, dtype=np.float32)
        except (sqlite3.Error, TypeError, ValueError):
            return None  # a memory gone bad is none
        return vector if abs(float(vector @ vector) - 1) < _NEAR_ONE else None

    def _learned(self, key: bytes, text: str) -> Floats:
        vector = next(iter(self.model.passages([text])))
        try:
            self._db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?)", (key, vector.tobytes()))
            oldest = "DELETE FROM vector WHERE rowid <= (SELECT max(rowid) - ? FROM vector)"
            self._db.execute(oldest, (MOST_KEPT,))
        except sqlite3.Error:
            pass  # remembering is a convenience
        return vector


def _opened(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute(_TABLE)
    except (OSError, sqlite3.Error):
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        db.execute(_TABLE)
    return db
