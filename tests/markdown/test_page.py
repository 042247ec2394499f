"""Sections and blocks of a page."""

from recollect.markdown.page import (
    CodeBlock,
    ListItem,
    Paragraph,
    Table,
    blocks,
    lines_outside_code,
    read,
)


def _headings(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in read(text).sections]


def test_headings_are_read_in_both_spellings() -> None:
    text = "Top\n===\n\n## Second ##\n\nThird\n---\n\n- item\n---\n\n#none\n"

    assert _headings(text) == [(0, ""), (1, "Top"), (2, "Second"), (2, "Third")]


def test_headings_in_code_comments_lists_and_quotes_do_not_count() -> None:
    text = "~~~\n# a\n```\n~~~\n<!-- # b\n# c -->\n    \n# d\n````\n```\n# e\n````\n- # f\n> # g\n"

    assert _headings(text) == [(0, ""), (1, "d")]


def test_lines_above_a_rule_are_not_a_heading() -> None:
    """People write fields there: CommonMark reads both lines as one heading."""
    text = "Status: accepted\nDate: 2020-01-01\n---\n\n# Title\n"

    assert _headings(text) == [(0, ""), (1, "Title")]
    assert blocks(text)[0] == Paragraph("Status: accepted\nDate: 2020-01-01", 1)


def test_a_section_knows_its_lines_and_its_text_without_comments() -> None:
    page = read(
        "---\na: b\n---\n# T <!-- x -->\none `<!--`\n<!-- two\nthree -->\n\nfour <!-- five --> six\n"
    )

    assert [(part.title, part.line, part.first) for part in page.sections] == [("", 4, 4), ("T", 4, 5)]
    assert page.sections[1].text == "one `<!--`\n\n\n\nfour  six\n"


def test_a_text_has_paragraphs_items_code_and_tables() -> None:
    text = (
        "One\ntwo\n\n* a\n  b\n    * c\n      d\n\n  e\n* [x] f\n\n1) g\n\n> quote\n\n"
        "```\ncode\n```\n| t |\n|---|\n| `u` |\n\n    indented\n***\nend"
    )

    assert blocks(text) == [
        Paragraph("One\ntwo", 1),
        ListItem("a b e", 4, ("c d",)),
        ListItem("f", 10),
        ListItem("g", 12),
        Paragraph("quote", 14),
        CodeBlock(16),
        Table((("t",), ("`u`",)), 19),
        CodeBlock(23),
        Paragraph("end", 25),
    ]


def test_code_in_an_item_follows_it_and_deeper_items_belong_to_it() -> None:
    text = "- a\n\n  ```\n  x\n  ```\n\n  1. b\n     - c\n- - d\n-\n"

    assert blocks(text, first=10) == [
        ListItem("a", 10, ("b", "c")),
        CodeBlock(12),
        ListItem("", 18, ("d",)),
    ]


def test_markdown_between_html_tags_is_read() -> None:
    text = "<details>\n<summary>More</summary>\n- a\n<!-- b -->\n</details>"

    assert blocks(text) == [
        Paragraph("<details>\n<summary>More</summary>", 1),
        ListItem("a", 3),
        Paragraph("</details>", 5),
    ]


def test_lines_in_code_are_left_out() -> None:
    assert lines_outside_code("a\n```\nb\n```\nc\n\n    d\ne") == [
        (0, "a"),
        (4, "c"),
        (5, ""),
        (7, "e"),
    ]
