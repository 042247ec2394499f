"""Links of a page, and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import growth

from recollect.markdown.page import read


def found(text: str) -> list[tuple[str, bool]]:
    return [(link.target, link.wiki) for link in read(text).links()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [[deploy]] and [[a/b|the b]], [[c#part]], ![[d]].", ["deploy", "a/b", "c", "d"]),
        ("[how](deploy.md) ![p](img/a.png)", ["deploy.md", "img/a.png"]),
        ("[a](<with space.md>) [b](with%20space.md)", ["with space.md", "with space.md"]),
        ('[a](b.md "title") [a](../c(1).md#x)', ["b.md", "../c(1).md"]),
        ("[`code`](b.md)", ["b.md"]),
        ("[ref]: ../b.md", ["../b.md"]),
        ("[[skill:deploy/rollback]]", ["skill:deploy/rollback"]),
    ],
)
def test_links_are_found_in_every_spelling(text: str, expected: list[str]) -> None:
    assert [target for target, _ in found(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "```\n[[deploy]] [a](b.md)\n```",
        "- item\n  ~~~sh\n  [[deploy]]\n  ~~~",
        "Write `[[deploy]]` or ``[a](b.md)``.",
        "<!-- [[deploy]] [a](b.md)\n[[x]] -->",
    ],
)
def test_what_stands_in_code_or_a_comment_is_no_link(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/x.md) [b](mailto:a@example.org) [c](#here) [d](/etc/passwd)",
        "[a](path/{name}.md) [b]($HOME/x.md) [c](*.md)",
        'if [[ -f "x" ]]; then [[ $a == b ]]; fi',
        "[^1]: a footnote. [x] a box, [y] a word, a[0](1)".replace("a[0](1)", ""),
        "[[mem:jwt-over-cookies]] [[]] [[|x]] []()",
    ],
)
def test_addresses_stand_ins_tests_and_footnotes_are_no_links(text: str) -> None:
    assert found(text) == []


def test_a_link_knows_its_line() -> None:
    page = read("---\nx: y\n---\na\n\n[[b]]\n```\n[[c]]\n```\n[d](e.md)")

    assert [link.line for link in page.links()] == [6, 10]


PIECES = (
    *("[", "]", "(", ")", "<", ">", "`", "#", "|", "![[", "]]", "](", "\n", "```", "~~~"),
    *("<!--", "-->", "a", ".md", "%", "%2", ":", "\\", " "),
)


@given(st.lists(st.sampled_from(PIECES)))
def test_no_text_makes_the_reader_of_links_raise(pieces: list[str]) -> None:
    for link in read("".join(pieces)).links():
        assert link.target


PATHOLOGICAL = (
    "[",
    "[[",
    "](",
    "](<",
    "](((",
    "[a](",
    "[[a|",
    "`<!--`",
    "[a]: ",
    "``` ",
    "` `` ",
    "[[a]]",
)


@pytest.mark.parametrize("piece", PATHOLOGICAL)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def run(size: int) -> None:
        text = "".join("`" * n + " " for n in range(2, 100)) + piece * (size // len(piece))
        list(read(text).links())

    assert growth(run, 2_000, 8_000) < 10
