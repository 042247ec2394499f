"""The head of a page."""

from recollect.markdown import front_matter


def test_front_matter_gives_values_and_lists() -> None:
    text = "---\n# note\nstatus: 'done'\ntags: [a, \"b\"]\nwho:\n  - c\n  - d\nempty:\n---\nrest\n"
    values, rest, first = front_matter.split(text)

    assert values == {"status": ("done",), "tags": ("a", "b"), "who": ("c", "d"), "empty": ()}
    assert (rest, first) == ("rest\n", 10)


def test_a_ruler_at_the_top_is_no_front_matter() -> None:
    text = "---\n\nSome prose here.\n\n---\n"

    assert front_matter.split(text) == ({}, text, 1)


def test_a_list_of_wiki_links_and_lists_in_lists_are_one_list() -> None:
    text = '---\na: [[deploy]]\nb: ["[[x]]", [y, z]]\nc: ' + "[" * 50_000 + "]" * 50_000 + "\n---\n"

    assert front_matter.split(text)[0] == {"a": ("deploy",), "b": ("[[x]]", "y", "z"), "c": ()}
