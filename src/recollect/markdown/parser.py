"""The Markdown parser: CommonMark with tables and strikethrough.

markdown-it is imported with the first text that is parsed, so that commands that parse none start without it.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode


@cache
def _parser(*disabled: str) -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - see above

    parser = MarkdownIt("commonmark", {"inline_definitions": True})
    return parser.enable(["table", "strikethrough"]).disable(disabled)


def block_tokens(text: str) -> "list[Token]":
    """The block tokens of a text. Their inline content is not parsed, which takes most of the time."""
    return _parser("inline").parse(text)


def block_tree(text: str, *, html: bool = True) -> "list[SyntaxTreeNode]":
    """The block tokens of a text as trees. Without `html`, tags count as prose."""
    from markdown_it.tree import SyntaxTreeNode  # noqa: PLC0415 - see above

    parser = _parser("inline") if html else _parser("inline", "html_block")
    return SyntaxTreeNode(parser.parse(text)).children


def inline_tokens(content: str) -> "list[Token]":
    """The inline tokens of a paragraph's content: text, code, links, tags."""
    (token,) = _parser().parseInline(content)
    return token.children or []
