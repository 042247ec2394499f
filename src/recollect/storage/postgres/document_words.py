"""The words of documents: their stems, and the postings that a search by words reads."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.storage.postgres.database import Connection, ProjectKey
from recollect.storage.postgres.text_values import restored, storable
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

COLUMN = 1 << 28  # positions of one column; more words than a file can have
_READ = (
    "SELECT document, title, tags, body, context FROM document_text"
    " WHERE project = %s AND document = ANY (%s)"
)
_ADD_TEXT = """
INSERT INTO document_text (project, document, title, tags, body, context, length)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
_ADD_POSTINGS = """
INSERT INTO posting (project, term, document, title, tags, body, context, length, positions)
SELECT %s, term, document, title, tags, body, context, length, positions::int[] FROM unnest(
    %s::text[], %s::bigint[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::text[]
) AS added (term, document, title, tags, body, context, length, positions)
"""
_REMOVE_POSTINGS = """
DELETE FROM posting USING unnest(%s::text[], %s::bigint[]) AS gone (term, document)
WHERE posting.project = %s AND posting.term = gone.term AND posting.document = gone.document
"""
# In the order of the terms, so that two writers wait for each other instead of deadlocking.
_COUNT_MORE = """
INSERT INTO term (project, term, documents)
SELECT %s, term, more FROM unnest(%s::text[], %s::bigint[]) AS counted (term, more) ORDER BY term
ON CONFLICT (project, term) DO UPDATE SET documents = term.documents + excluded.documents
"""
_COUNT_FEWER = """
UPDATE term SET documents = term.documents - fewer
FROM unnest(%s::text[], %s::bigint[]) AS counted (term, fewer)
WHERE term.project = %s AND term.term = counted.term
"""
_FORGET = "DELETE FROM term WHERE project = %s AND term = ANY (%s) AND documents <= 0"


class DocumentWords(NamedTuple):
    """The stems of a document by column, in order."""

    title: list[str]
    tags: list[str]
    body: list[str]
    context: list[str]

    @property
    def length(self) -> int:
        return sum(map(len, self))


def words_of(text: str) -> list[str]:
    """The stems of a text. Marks that are no part of a word separate, as in the embedded index."""
    return [part for stem in stems(tokens(text)) for part in _parts(stem)]


def _parts(stem: str) -> list[str]:
    if stem.isascii():
        return [stem]
    legible = "".join(character if _is_word(character) else " " for character in stem)
    return legible.split(" ") if legible == stem else legible.split()


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Co"


def read_words(
    connection: Connection, project: ProjectKey, documents: Collection[int]
) -> dict[int, DocumentWords]:
    """The words of some documents."""
    rows = connection.execute(_READ, (project, list(documents)))
    return {row[0]: DocumentWords(*(restored(text).split() for text in row[1:])) for row in rows}


def add_words(connection: Connection, project: ProjectKey, texts: Mapping[int, DocumentWords]) -> int:
    """Store the words of new documents; returns how many tokens they have."""
    if not texts:
        return 0
    with connection.cursor() as cursor:
        rows = [
            (project, key, *map(_joined, words), words.length) for key, words in sorted(texts.items())
        ]
        cursor.executemany(_ADD_TEXT, rows)
    postings = [
        (storable(term), key, *_counts(positions), words.length, f"{{{','.join(map(str, positions))}}}")
        for key, words in sorted(texts.items())
        for term, positions in _positions(words).items()
    ]
    columns = [list(column) for column in zip(*postings, strict=True)] or [[]] * 8
    connection.execute(_ADD_POSTINGS, (project, *columns))
    counted = Counter(columns[0])
    connection.execute(_COUNT_MORE, (project, list(counted), list(counted.values())))
    return sum(words.length for words in texts.values())


def remove_words(
    connection: Connection, project: ProjectKey, texts: Mapping[int, DocumentWords]
) -> int:
    """Remove the words of documents; returns how many tokens they had."""
    if not texts:
        return 0
    pairs = [
        (storable(term), key)
        for key, words in sorted(texts.items())
        for term in sorted(_positions(words))
    ]
    terms = [term for term, _ in pairs]
    connection.execute(_REMOVE_POSTINGS, (terms, [key for _, key in pairs], project))
    counted = Counter(terms)
    connection.execute(_COUNT_FEWER, (list(counted), list(counted.values()), project))
    connection.execute(_FORGET, (project, list(counted)))
    connection.execute(
        "DELETE FROM document_text WHERE project = %s AND document = ANY (%s)", (project, list(texts))
    )
    return sum(words.length for words in texts.values())


def _positions(words: DocumentWords) -> dict[str, list[int]]:
    """Where each term is: its place in its column, after COLUMN for each column before."""
    positions: dict[str, list[int]] = {}
    for column, terms in enumerate(words):
        for place, term in enumerate(terms, start=column * COLUMN):
            positions.setdefault(term, []).append(place)
    return positions


def _counts(positions: Sequence[int]) -> list[int]:
    """How often a term is in each column."""
    counts = [0, 0, 0, 0]
    for position in positions:
        counts[position // COLUMN] += 1
    return counts


def _joined(terms: Iterable[str]) -> str:
    return " ".join(map(storable, terms))
