"""The gist of a memory: the one sentence that says what it decides, demands, prefers or is for. Pure.

A prompt gets it below the title, because a title such as "Networking" tells an agent too little to know
whether the file is worth reading.
"""

from __future__ import annotations

from itertools import pairwise

from recollect.records.display import one_line
from recollect.text.stemming import stem, stems
from recollect.text.tokens import STOP_WORDS, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.records.json_format import Json

GIST_LENGTH = 160
_MOST_READ = 2000  # characters of a field that are looked at
_FIELDS = {
    "decision": "decision",
    "constraint": "rule",
    "preference": "value",
    "runbook": "trigger",
    "tech_debt": "description",
    "session_summary": "outcome",
}
_ENDS = (".", "!", "?")
_ABBREVIATIONS = ("e.g.", "i.e.", "etc.")
_WIDE_ENDS = "\u3002\uff01\uff1f"  # of scripts that put no space behind a sentence


def gist(category: str, content: Mapping[str, Json], title: str) -> str:
    """The first sentence of the field that carries a memory; '' if there is none or the title says it."""
    value = content.get(_FIELDS.get(category, ""))
    if not isinstance(value, str):
        return ""
    sentence = _first_sentence(one_line(value[:_MOST_READ]))
    return _cut(sentence) if _adds_to(title, sentence) else ""


def _first_sentence(line: str) -> str:
    """The words up to the first that ends a sentence: the next one does not begin with a small letter."""
    words = line.split(" ")
    for count, (word, following) in enumerate(pairwise(words), start=1):
        if (
            word.endswith(_ENDS)
            and not word.endswith(_ABBREVIATIONS)
            and not "a" <= following[0] <= "z"
        ):
            line = " ".join(words[:count])
            break
    for mark in _WIDE_ENDS:
        head, end, _ = line.partition(mark)
        line = head + end
    return line


def _adds_to(title: str, sentence: str) -> bool:
    """Whether a sentence has a word that is not in the title."""
    in_title = set(stems(_telling(title)))
    return any(stem(word) not in in_title for word in _telling(sentence))


def _telling(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in STOP_WORDS]


def _cut(text: str) -> str:
    """`text` within the length, cut at a word."""
    if len(text) <= GIST_LENGTH:
        return text
    head = text[: GIST_LENGTH - 1]
    whole, space, _ = head.rpartition(" ")
    return (whole if space and len(whole) > GIST_LENGTH // 2 else head).rstrip(" ,;:-") + "…"
