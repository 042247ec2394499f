"""The vector channel: what an embedder is, and the passages it is given."""

from collections.abc import Sequence
from typing import Protocol

from recollect.records.store import Progress
from recollect.retrieval.index import Filters, Index, Key

PASSAGE = 1000  # characters: about 250 tokens of prose, 350 of code
HEAD = 2000  # characters of a long text's start, read as a whole beside its passages
MOST_PASSAGES = 60


class Vectors(Protocol):
    """Documents by meaning. Exact: every vector is compared with the query's."""

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int, *, feedback: float = 0.0
    ) -> Sequence[tuple[Key, float]]:
        """The documents nearest in meaning, by the cosine of their best passage.

        With `feedback` the query leans that far towards the passages it finds first: where many
        documents answer, more of them are found.
        """
        ...


class VectorStore(Vectors, Protocol):
    """Vectors that are stored beside an index, and made when documents are new."""

    def missing(self) -> int:
        """How many documents have no vectors of this model yet."""
        ...

    def embed(self, progress: Progress | None = None, most: int | None = None) -> int:
        """Embed the documents that have no vectors, or the first `most`; returns how many.

        Raises UnwritableError when vectors cannot be stored now, and ModelError when the model fails.
        """
        ...


def head(title: str, body: str) -> str:
    """Title and body as one text; a title that only repeats how the body starts is left out."""
    short = " ".join(title.split())
    start = " ".join(body[: len(title) + 20].split())
    return body if not short or start.startswith(short[:80]) else f"{short}\n{body}"


def passages(text: str) -> list[str]:
    """Cut a text into passages that an embedder can hold: whole lines, over-long ones at a space.

    A text of several passages has its start read as a whole too: it says what the rest is about.
    """
    found: list[str] = []
    current = ""
    for line in _short_lines(text):
        if current and len(current) + 1 + len(line) > PASSAGE:
            found.append(current)
            current = line
        else:
            current = f"{current}\n{line}" if current else line
    found.append(current)
    kept = [passage for passage in found if passage.strip()][:MOST_PASSAGES] or [""]
    return kept if len(kept) == 1 else [text[:HEAD], *kept]


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
