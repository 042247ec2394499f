"""Text as it reads: without its marks, and no longer than there is room for. Pure; no input raises."""

import html
import re

from recollect.markdown.lines import code_spans

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_EMPHASIS = (
    (re.compile(r"\*\*|~~"), ""),
    (re.compile(r"(?<![\w_])(__?)([^_\n]+)\1(?![\w_])"), r"\2"),
    (re.compile(r"\*([^*\s][^*\n]*)\*"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,200}>"), " "),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def plain(text: str) -> str:
    """`text` as it reads: no emphasis, links by their words, on one line. Code keeps its characters."""
    parts, position = [], 0
    for start, end in code_spans(text):
        parts += [_unmarked(text[position:start]), text[start:end].strip("`").strip()]
        position = end
    # A link whose words hold code is cut in pieces above, so its rest is taken off here.
    joined = _LINK.sub(r"\1", "".join([*parts, _unmarked(text[position:])]))
    return " ".join(joined.split())


def _unmarked(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    for pattern, by in _EMPHASIS:
        text = pattern.sub(by, text)
    return html.unescape(text)


def cut(text: str, limit: int = 120) -> str:
    """`text` within `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    words = head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head
    return words.rstrip(" ,;:-\u2013\u2014") + "…"
