"""The embedder port, and an embedder with a cache on disk."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.retrieval.vectors import head, passages
from recollect.storage.sqlite.vector_cache import VectorCache

Floats = NDArray[np.float32]
AT_ONCE = 2  # texts that a model reads at the same time: 1.4 times as many in a second as one by one
MOST_AT_ONCE = 2_000  # characters of these, so that nobody waits for them longer than for one long text
_LENGTH_TOLERANCE = 1e-3  # a vector whose squared length is further from one is corrupt


class Embedder(Protocol):
    """Text in, unit vector out. `version` identifies the model's files and how they are used."""

    version: str

    def query(self, text: str) -> Floats:
        """The vector of a query."""
        ...

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        """The vectors of passages, in order."""
        ...


def groups(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in their order, grouped by what a model reads at the same time."""
    group: list[str] = []
    for text in texts:
        if group and (len(group) == AT_ONCE or sum(map(len, group)) + len(text) > MOST_AT_ONCE):
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def embedded(
    embedder: Embedder, documents: Sequence[tuple[int, str, str]], stop: Callable[[], bool]
) -> dict[int, list[Floats]]:
    """The vectors of the passages of each document (key, title, body), of those that are done before `stop`.

    Short ones come first: their passages take equally long, and many are done when it is stopped. The
    passages of one that is not done stay in the embedder's cache.
    """
    texts = {key: passages(head(title, body)) for key, title, body in documents}
    order = sorted(texts, key=lambda key: sum(map(len, texts[key])))
    rows = iter(embedder.passages([text for key in order for text in texts[key]]))
    vectors: dict[int, list[Floats]] = {}
    for key in order:
        own: list[Floats] = []
        for _ in texts[key]:
            if stop():
                return vectors
            own.append(next(rows))
        vectors[key] = own
    return vectors


def vector_of(numbers: bytes) -> Floats:
    """The vector whose `tobytes` these are."""
    return np.frombuffer(numbers, dtype=np.float32)


class CachingEmbedder:
    """An embedder that embeds each passage once on this machine, whichever index asks for it.

    Switching branches or deleting an index then costs no embedding. The model is loaded when a new text
    arrives. A vector that cannot be cached (a full or read-only disk) is computed again.
    """

    def __init__(self, version: str, load: Callable[[], Embedder], folder: Path) -> None:
        self.version = version
        self._load = load
        self._model: Embedder | None = None
        self._cache = VectorCache(folder / f"{version}.db")

    @property
    def model(self) -> Embedder:
        """The model itself, loaded on first use."""
        if self._model is None:
            self._model = self._load()
        return self._model

    def query(self, text: str) -> Floats:
        return self.model.query(text)

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        for group in groups(texts):
            keys = {text: _key(text) for text in group}
            vectors = {text: self._cached(key) for text, key in keys.items()}
            new = [text for text, vector in vectors.items() if vector is None]
            for text, fresh in zip(new, self.model.passages(new) if new else (), strict=True):
                self._cache.put(keys[text], fresh.tobytes())
                vectors[text] = fresh
            yield from (vector for text in group if (vector := vectors[text]) is not None)

    def forget(self, texts: Sequence[str]) -> None:
        """Delete the vectors of these passages from the cache."""
        self._cache.remove([_key(text) for text in texts])

    def _cached(self, key: bytes) -> Floats | None:
        """The vector in the cache; None when there is none, or none of length one."""
        try:
            vector = vector_of(self._cache.get(key) or b"")
        except ValueError:
            return None
        return vector if abs(float(vector @ vector) - 1) < _LENGTH_TOLERANCE else None


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
