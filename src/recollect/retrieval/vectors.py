"""The vector channel: its ports, and the passages that an embedder reads."""

from collections.abc import Callable, Sequence
from typing import Protocol

from recollect.records.store import Progress
from recollect.retrieval.index import Filters, Index, Key

PASSAGE = 1000  # characters: about 250 tokens of prose, 350 of code
HEAD = 2000  # characters of a long text's start, embedded in addition to its passages
MOST_PASSAGES = 60


class Vectors(Protocol):
    """Search by meaning. Exact: every vector is compared with the query's."""

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int, *, feedback: float = 0.0
    ) -> Sequence[tuple[Key, float]]:
        """The documents nearest in meaning, by the cosine of their best passage.

        `feedback` moves the query vector that far towards the first passages (pseudo-relevance feedback):
        it finds more where many documents answer.
        """
        ...


class VectorStore(Vectors, Protocol):
    """Vectors that are stored beside an index, and made when documents are new."""

    def missing(self) -> int:
        """How many documents have no vectors of this model yet."""
        ...

    def embed(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Embed the documents that have no vectors, until `stop`; returns how many.

        `stop` is asked before each passage. Raises UnwritableError when vectors cannot be stored now, and
        ModelError when the model fails.
        """
        ...

    def forget(self, title: str, body: str) -> None:
        """Erase what is left of a deleted document: dead vectors, and cached ones of its text."""
        ...


def head(title: str, body: str) -> str:
    """Title and body as one text; a title that repeats the start of the body is left out."""
    short = " ".join(title.split())
    start = " ".join(body[: len(title) + 20].split())
    return body if not short or start.startswith(short[:80]) else f"{short}\n{body}"


def passages(text: str) -> list[str]:
    """Split a text into passages that fit an embedder: complete lines; very long ones are cut at a space.

    If there are several passages, the start of the text is added, because it says what the text is about.
    """
    pieces: list[str] = []
    current = ""
    for line in _short_lines(text):
        if current and len(current) + 1 + len(line) > PASSAGE:
            pieces.append(current)
            current = line
        else:
            current = f"{current}\n{line}" if current else line
    pieces.append(current)
    pieces = [piece for piece in pieces if piece.strip()][:MOST_PASSAGES] or [""]
    return pieces if len(pieces) == 1 else [text[:HEAD], *pieces]


def _short_lines(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        rest = line
        while len(rest) > PASSAGE:
            cut = rest.rfind(" ", PASSAGE // 2, PASSAGE)
            cut = cut if cut > 0 else PASSAGE
            lines.append(rest[:cut])
            rest = rest[cut:].lstrip()
        lines.append(rest)
    return lines
