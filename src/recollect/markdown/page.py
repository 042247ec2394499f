"""A Markdown page: its front matter, its sections, and the blocks of a text. Pure; no input raises."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from recollect.markdown import front_matter
from recollect.markdown.links import PageLink, links_in
from recollect.markdown.parser import block_tokens, block_tree, inline_tokens

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text with its line breaks."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of an outermost list on one line, with the text of the items inside it."""

    text: str
    line: int
    nested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Fenced or indented code."""

    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its rows of cells, the header first."""

    rows: tuple[tuple[str, ...], ...]
    line: int


Block: TypeAlias = Paragraph | ListItem | CodeBlock | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next one, without HTML comments.

    The text before the first heading has level 0. `line` is the heading's, counted from 1; `first` is the
    number of the first line of `text`.
    """

    level: int
    title: str
    line: int
    text: str
    first: int

    @property
    def body(self) -> str:
        """The text without blank lines around it and spaces at line ends."""
        return "\n".join(line.rstrip() for line in self.text.split("\n")).strip("\n")

    def blocks(self) -> list[Block]:
        return blocks(self.text, self.first)


@dataclass(frozen=True, slots=True)
class Page:
    """A page, parsed. `first` is the number of the first line of `text`, after the front matter."""

    head: front_matter.Values
    text: str
    first: int
    sections: tuple[Section, ...]
    tokens: "tuple[Token, ...]"

    def paragraphs(self) -> Iterator[str]:
        """The Markdown of each paragraph, in list items and quotes too."""
        for opening, token in pairwise(self.tokens):
            if opening.type == "paragraph_open":
                yield token.content

    def links(self) -> Iterator[PageLink]:
        """The links in their order, repeats included."""
        return links_in(self.tokens, self.first)


def read(text: str) -> Page:
    """Parse a page."""
    head, rest, first = front_matter.split(text)
    tokens = block_tokens(rest)
    return Page(head, rest, first, tuple(_sections(rest, first, tokens)), tuple(tokens))


def _sections(text: str, first: int, tokens: "Sequence[Token]") -> Iterator[Section]:
    """Cut a text at its headings. Headings inside of lists and quotes do not count."""
    lines = _without_comments(text, tokens).split("\n")
    level, title, start, end = 0, "", 0, 0
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            if "\n" in content.content:  # fields above a rule, which CommonMark takes for a heading
                continue
            yield Section(
                level, title, start + first, "\n".join(lines[end : token.map[0]]), end + first
            )
            level = int(token.tag[1])
            title = _inline_without_comments(content.content, content.content).strip()
            start, end = token.map
    yield Section(level, title, start + first, "\n".join(lines[end:]), end + first)


def _without_comments(text: str, tokens: "Sequence[Token]") -> str:
    """A text without HTML comments, in as many lines."""
    if "<!--" not in text:
        return text
    lines = text.split("\n")
    for token in tokens:
        if "<!--" in token.content and token.map and token.type in ("html_block", "inline"):
            start, end = token.map
            source = "\n".join(lines[start:end])
            if token.type == "html_block":
                source = _COMMENT.sub(_line_ends, source)
            else:
                source = _inline_without_comments(source, token.content)
            lines[start:end] = source.split("\n")
    return "\n".join(lines)


def _inline_without_comments(source: str, content: str) -> str:
    """`source` without the comments in its inline `content`; what looks like one in code stays."""
    if "<!--" not in content:
        return source
    parts, position = [], 0
    for token in inline_tokens(content):
        start = source.find(token.content, position)
        if not token.content or start < 0:
            continue
        end = start + len(token.content)
        if token.type == "html_inline" and token.content.startswith("<!--"):
            parts += [source[position:start], "\n" * token.content.count("\n")]
        else:
            parts.append(source[position:end])
        position = end
    return "".join([*parts, source[position:]])


def _line_ends(comment: re.Match[str]) -> str:
    return "\n" * comment.group().count("\n")


def blocks(text: str, first: int = 1) -> list[Block]:
    """The blocks of a text in their order; `first` is the number of its first line."""
    return list(_blocks(block_tree(text), first))


def _blocks(nodes: "Sequence[SyntaxTreeNode]", first: int) -> Iterator[Block]:
    for node in nodes:
        line = first + (node.map[0] if node.map else 0)
        match node.type:
            case "paragraph" | "heading":
                lines = node.children[0].content.split("\n")
                yield Paragraph("\n".join(part.strip() for part in lines), line)
            case "bullet_list" | "ordered_list":
                for item in node.children:
                    yield from _item(item, first)
            case "blockquote":
                yield from _blocks(node.children, first)
            case "fence" | "code_block":
                yield CodeBlock(line)
            case "table":
                yield Table(tuple(_rows(node)), line)
            case "html_block":
                prose = _COMMENT.sub(_line_ends, node.content)
                yield from _blocks(block_tree(prose, html=False), line)


def _item(node: "SyntaxTreeNode", first: int) -> Iterator[Block]:
    """An item, then the code and tables inside it."""
    texts, nested, other = list[str](), list[str](), list[Block]()
    for block in _blocks(node.children, first):
        match block:
            case Paragraph(text):
                texts += text.split("\n")
            case ListItem(text, _, inner):
                nested += [text, *inner]
            case CodeBlock() | Table():
                other.append(block)
    text = _CHECKBOX.sub("", " ".join(texts).strip(), count=1)
    if text or nested:
        yield ListItem(text, first + (node.map[0] if node.map else 0), tuple(nested))
    yield from other


def _rows(table: "SyntaxTreeNode") -> Iterator[tuple[str, ...]]:
    for part in table.children:
        for row in part.children:
            yield tuple(cell.children[0].content if cell.children else "" for cell in row.children)


def lines_outside_code(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not in code blocks, numbered from 0."""
    code: set[int] = set()
    if any(mark in text for mark in ("```", "~~~", "    ", "\t")):
        for token in block_tokens(text):
            if token.type in _CODE and token.map:
                code.update(range(*token.map))
    return [(number, line) for number, line in enumerate(text.split("\n")) if number not in code]
