"""Text as it reads: without markup, within a length, by sentences. Pure; no input raises."""

import re

from recollect.markdown.parser import inline_tokens

_MARKUP = re.compile(r"[`*_~\[<&\\]")
_REFERENCE = re.compile(r"\[([^\[\]]*)\]\[[^\[\]]*\]")  # defined elsewhere in the page
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[^\sa-z])|(?<=[。\uff01\uff1f]))"
)


def plain(text: str) -> str:
    """`text` on one line, without emphasis and tags, links by their words. Code keeps its characters."""
    if _MARKUP.search(text):
        text = "".join(_shown(token.type, token.content) for token in inline_tokens(text))
    return " ".join(text.split())


def _shown(type: str, content: str) -> str:
    match type:
        case "text":
            return _REFERENCE.sub(r"\1", content).replace("**", "")  # a text may be cut inside of bold
        case "softbreak" | "hardbreak" | "html_inline":
            return " "
        case _:
            return content


def sentences(text: str) -> list[str]:
    """The sentences of running text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def cut(text: str, limit: int = 120) -> str:
    """`text` within `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    words = head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head
    return words.rstrip(" ,;:-\u2013\u2014") + "…"
