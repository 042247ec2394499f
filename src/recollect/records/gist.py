"""The gist of a memory: the one sentence that says what it decides, demands, prefers or is for. Pure.

A prompt gets it below the title, because a title such as "Networking" tells an agent too little to know
whether the file is worth reading.
"""

from __future__ import annotations

import re

from recollect.records.display import one_line
from recollect.text.stemming import stems
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
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)\s+(?=[^\sa-z])|(?<=[。\uff01\uff1f])"
)


def gist(category: str, content: Mapping[str, Json], title: str) -> str:
    """The first sentence of the field that carries a memory; '' if there is none or the title says it."""
    value = content.get(_FIELDS.get(category, ""))
    if not isinstance(value, str):
        return ""
    text = one_line(value[:_MOST_READ])
    sentence = _END.split(text, maxsplit=1)[0].strip()
    return "" if _words(sentence) <= _words(title) else _cut(sentence)


def _words(text: str) -> frozenset[str]:
    return frozenset(stems([word for word in tokens(text) if word not in STOP_WORDS]))


def _cut(text: str) -> str:
    """`text` within the length, cut at a word."""
    if len(text) <= GIST_LENGTH:
        return text
    head = text[: GIST_LENGTH - 1]
    whole, space, _ = head.rpartition(" ")
    return (whole if space and len(whole) > GIST_LENGTH // 2 else head).rstrip(" ,;:-") + "…"
