"""Lines and sections."""

from recollect.markdown.lines import lines, sections


def _sections(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in sections(lines(text))]


def test_headings_are_read_in_both_spellings() -> None:
    text = "Top\n===\n\n## Second ##\n\nThird\n---\n\n- item\n---\n\n#none\n"

    assert _sections(text) == [(0, ""), (1, "Top"), (2, "Second"), (2, "Third")]


def test_headings_in_code_and_comments_are_none() -> None:
    text = "~~~\n# a\n```\n~~~\n<!-- # b\n# c -->\n    \n# d\n````\n```\n# e\n````\n"

    assert _sections(text) == [(0, ""), (1, "d")]
