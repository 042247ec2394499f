"""What a record does not say of its source: passages that fit none of its fields. Pure.

An import loses no sentence. What the parsers take is compared with what they were given, word by word, and
the rest is stored beside the fields, where search finds it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from recollect.markdown.plain import plain, sentences
from recollect.records.body import passages
from recollect.records.json_format import Json

_WORD = re.compile(r"\w+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\S")
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_ITEM_MARK = re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Leftover:
    """A passage of a source under its heading, as it is written there."""

    heading: str
    text: str


def words_of(text: str) -> str:
    """The words of a text in small letters, one space around each: what two spellings share."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def leftovers(parts: Iterable[tuple[str, str]], document: Mapping[str, Json]) -> list[Leftover]:
    """The passages of (heading, Markdown) that have a sentence which is not in the document."""
    known = words_of(" ".join(passages(dict(document))))
    grouped: dict[str, list[str]] = {}
    for heading, text in parts:
        for passage in _passages(text):
            if not _is_in(passage, known):
                grouped.setdefault(heading, []).append(passage)
    return [Leftover(heading, "\n\n".join(texts)) for heading, texts in grouped.items()]


def _is_in(passage: str, known: str) -> bool:
    if _FENCE.match(passage) or passage.lstrip().startswith("|"):
        return words_of(passage).strip() == "" or words_of(passage) in known
    texts = (words_of(sentence) for sentence in sentences(plain(_ITEM_MARK.sub("", passage))))
    return all(text in known for text in texts if text.strip())


def _passages(text: str) -> Iterator[str]:
    """The paragraphs, list items, tables and blocks of code of a text, each as it is written."""
    lines: list[str] = []
    fenced = False
    for line in [*text.split("\n"), ""]:
        begins = not fenced and (not line.strip() or _ITEM.match(line) or _FENCE.match(line))
        if begins and lines:
            yield "\n".join(lines).strip("\n")
            lines = []
        if _FENCE.match(line):
            fenced = not fenced
        if line.strip() or fenced:
            lines.append(line.rstrip())
    if lines:
        yield "\n".join(lines)
