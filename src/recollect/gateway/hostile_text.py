"""Text of a server as data: markup, hidden characters and instructions to the model are taken out."""

import html
import re
from dataclasses import dataclass
from functools import lru_cache

from recollect.gateway.instruction_patterns import FAMILIES, PROMPT_BLOCK, PROMPT_TAG, InstructionKind
from recollect.gateway.lookalikes import folded, is_plain, skeleton
from recollect.records.display import safe_text

LONGEST = (
    8_000  # characters of one text that a model gets; the longest description in use has about 4,000
)
HIDDEN, MARKUP, IMAGE, LONG = (
    "has hidden characters",
    "has markup that poses as part of a prompt",
    "has an image, which a client would load",
    "is very long and was cut",
)
_NAME = 16  # characters: a shorter name is no sentence
_SHORTEST = 6  # characters: no instruction is shorter
_WITHHELD = "[withheld: {}]"
_ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(?=[/!?|A-Za-z])([^<>]{0,300})>")
_IMAGE = re.compile(r"!(?=\[[^\]]{0,200}\]\s?[(\[])")
_SENTENCE = re.compile(
    r"(?:[^.!?\n\u3002\uff01\uff1f]|[.!?](?![\s\"')\]]|\Z))+[.!?\u3002\uff01\uff1f]*[\"')\]]*"
)
_SPACED = re.compile(r"(?<!\w)\w(?: \w){5,}(?!\w)")


@dataclass(frozen=True, slots=True)
class NeutralText:
    """What a model may read of a text, and what was wrong with it."""

    text: str
    reasons: tuple[str, ...] = ()


@lru_cache(16_384)  # schemas repeat the same words, and a catalogue is read more than once
def neutralised(text: str) -> NeutralText:
    """`text` as data. What is harmless stays byte for byte."""
    reasons: list[str] = []
    visible = _without_hidden(text[:LONGEST], reasons)
    if len(text) > LONGEST:
        reasons.append(LONG)
        visible += " […]"
    reasons += _markup_reasons(visible)
    spoken = _without_instructions(_without_blocks(visible, reasons), reasons)
    return NeutralText(_without_markup(spoken), tuple(dict.fromkeys(reasons)))


def reasons_in(text: str) -> tuple[str, ...]:
    """What is wrong with a text that cannot be changed, such as a name: `_` and `-` part its words."""
    reasons = neutralised(text).reasons
    return reasons or (neutralised(re.sub(r"[_-]+", " ", text)).reasons if len(text) > _NAME else ())


def _without_hidden(text: str, reasons: list[str]) -> str:
    if is_plain(text):
        return text
    bare = _ANSI.sub("", text)
    visible = safe_text(bare)
    plain = bare.replace("\r\n", "\n").replace("\t", "    ").replace("\r", " ")
    if bare != text or visible != plain:
        reasons.append(HIDDEN)
        return visible
    return text


def _without_blocks(text: str, reasons: list[str]) -> str:
    def withheld(block: re.Match[str]) -> str:
        reasons.extend(family.reason for family in _families(block[0]))
        return _WITHHELD.format(MARKUP)

    return PROMPT_BLOCK.sub(withheld, text) if "<" in text else text


def _without_instructions(text: str, reasons: list[str]) -> str:
    families = _families(text)
    if not families:
        return text
    reasons += [family.reason for family in families]
    left = {family.reason for family in families if family.withheld}

    def kept_or_withheld(sentence: re.Match[str]) -> str:
        hits = [family for family in _families(sentence[0]) if family.withheld]
        left.difference_update(family.reason for family in hits)
        space = sentence[0][: len(sentence[0]) - len(sentence[0].lstrip())]
        return space + _WITHHELD.format(hits[0].reason) if hits else sentence[0]

    clean = _SENTENCE.sub(kept_or_withheld, text)
    # An instruction that runs over several sentences or lines is in none of them: all of the text goes.
    return _WITHHELD.format(", ".join(sorted(left))) if left else clean


def _families(text: str) -> list[InstructionKind]:
    plain = folded(html.unescape(text))
    if len(plain) < _SHORTEST:
        return []
    variants = {plain, skeleton(plain), _SPACED.sub(lambda run: run[0].replace(" ", ""), plain)}
    return [
        family for family in FAMILIES if any(family.pattern.search(variant) for variant in variants)
    ]


def _markup_reasons(text: str) -> list[str]:
    poses = "<" in text and (_COMMENT.search(text) or PROMPT_TAG.search(folded(text)))
    return ([MARKUP] if poses else []) + ([IMAGE] if _IMAGE.search(text) else [])


def _without_markup(text: str) -> str:
    """Comments go, images become links, and tags get brackets that no parser takes for one."""
    if "<" not in text and "![" not in text:
        return text
    return _TAG.sub("\u2039\\1\u203a", _IMAGE.sub("", _COMMENT.sub("", text)))
