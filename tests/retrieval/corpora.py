"""Documents to search, and something small that stands for an embedding model."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect import clock
from recollect.app.finder import Finder
from recollect.ids import UnifiedId
from recollect.retrieval.index import Document
from recollect.storage.models.embedder import Embedder
from recollect.storage.sqlite.index_database import DocumentDatabase
from recollect.text.tokens import tokens

DAY = datetime(2026, 1, 1, tzinfo=UTC)
CATEGORIES = ("decision", "constraint", "session_summary")
WORDS = [
    "cache",
    "queue",
    "token",
    "login",
    "shard",
    "retry",
    "schema",
    "ledger",
    "refund",
    "replica",
    "gateway",
    "quota",
]


def doc(id: str, title: str = "", body: str = "", *, day: int = 0, **fields: Any) -> Document:
    """A document; `day` is how many days after the first of the year it was written."""
    tags = tuple(fields.pop("tags", ()))
    return Document(
        UnifiedId(f"mem:{id}"),
        title,
        tags,
        body,
        clock.to_text(DAY + timedelta(days=day)),
        **{"path": id} | fields,
    )


@dataclass(slots=True)
class BagOfWords:
    """Stands for a model: a text is the sum of its words, each a vector drawn from its own hash."""

    version: str = "bag@1"
    width: int = 16
    read: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.width, 1e-3)
        for token in tokens(text):
            seed = int.from_bytes(hashlib.sha256(f"{self.version}{token}".encode()).digest()[:8])
            total += np.random.default_rng(seed).standard_normal(self.width)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for text in texts:
            self.read.append(text)
            yield self._vector(text)


def loading(model: Embedder) -> Callable[[], Embedder]:
    return lambda: model


def corpus(*documents: Document, model: Embedder | None = None, **settings: Any) -> Finder:
    """A finder over these documents."""
    return Finder(DocumentDatabase(documents), loading(model) if model else None, **settings)


texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@st.composite
def corpora(draw: st.DrawFn, most: int = 12) -> list[Document]:
    """A few documents made of a dozen words, so that queries find several and scores tie."""
    count = draw(st.integers(1, most))
    return [
        doc(
            f"d{number}",
            draw(texts),
            draw(texts),
            day=draw(st.integers(0, 5)),
            tags=draw(st.lists(st.sampled_from(WORDS), max_size=2)),
            category=draw(st.sampled_from(CATEGORIES)),
            priority=draw(st.integers(1, 3)),
            files=tuple(
                draw(st.lists(st.sampled_from(["src/auth.py", "src/*.ts", "a.md"]), max_size=2))
            ),
            thread=draw(st.sampled_from(["", "t"])),
        )
        for number in range(count)
    ]
