import pytest
from tests.requirements import requirement
from tests.samples import document

from recollect.errors import RefusedError
from recollect.records.anchors import AnchorState, anchored, parse_place, verdict
from recollect.records.record import Anchor, Memory

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"


def anchor(text: str = TEXT, span: tuple[int, int] | None = None) -> Anchor:
    row = anchored("src/a.py", text, span, "abc")
    return Memory.parse(document(anchors=[row])).anchors[0]


@requirement("records:anchors:verdict")
@pytest.mark.parametrize("span", [None, (5, 6)])
def test_code_that_says_what_it_said_is_fresh_changed_is_drifted_and_gone_is_orphaned(
    span: tuple[int, int] | None,
) -> None:
    kept = anchor(span=span)

    assert verdict(kept, TEXT) is AnchorState.FRESH
    assert verdict(kept, TEXT.replace("return 2", "return 3")) is AnchorState.DRIFTED
    assert verdict(kept, None) is AnchorState.ORPHANED


def test_a_span_that_moved_within_its_file_is_fresh() -> None:
    assert verdict(anchor(span=(5, 6)), "import os\n\n" + TEXT) is AnchorState.FRESH
    assert verdict(anchor(span=(5, 6)), TEXT.split("\n\n\n")[1]) is AnchorState.FRESH


def test_a_change_outside_the_span_does_not_touch_it() -> None:
    assert verdict(anchor(span=(5, 6)), TEXT.replace("return 1", "return 100")) is AnchorState.FRESH


@pytest.mark.parametrize("span", [None, (1, 2)])
def test_windows_line_ends_do_not_count(span: tuple[int, int] | None) -> None:
    windows = TEXT.replace("\n", "\r\n")

    assert verdict(anchor(span=span), windows) is AnchorState.FRESH
    assert verdict(anchor(windows, span), TEXT) is AnchorState.FRESH


def test_a_file_that_is_shorter_than_the_span_has_drifted() -> None:
    assert verdict(anchor(span=(5, 6)), "def a():\n") is AnchorState.DRIFTED
    assert verdict(anchor(span=(5, 6)), "") is AnchorState.DRIFTED


@pytest.mark.parametrize("span", [(5, 7), (7, 7), (100, 200)])
def test_a_span_past_the_end_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(RefusedError, match="the file has 6 lines"):
        anchored("a.py", TEXT, span, None)


def test_an_anchor_records_path_span_and_commit() -> None:
    row = anchored("a.py", TEXT, (2, 2), "abc")

    assert row["path"] == "a.py"
    assert row["lines"] == "2-2"
    assert row["commit"] == "abc"
    assert str(row["digest"]).startswith("sha256:")
    assert set(anchored("a.py", TEXT, None, None)) == {"path", "digest"}


def test_bytes_that_are_no_text_can_be_anchored() -> None:
    text = b"\xff\xfe\n".decode("utf-8", "surrogateescape")

    assert verdict(anchor(text), text) is AnchorState.FRESH


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("src/a.py", ("src/a.py", None)),
        ("src/a.py:12", ("src/a.py", (12, 12))),
        ("src/a.py:12-40", ("src/a.py", (12, 40))),
        ("notes:today.md", ("notes:today.md", None)),
        ("a:b.py:3", ("a:b.py", (3, 3))),
    ],
)
def test_a_place_is_a_path_and_perhaps_a_span(place: str, found: object) -> None:
    assert parse_place(place) == found


@pytest.mark.parametrize("place", ["a.py:0", "a.py:9-3", "a.py:3x", "a.py:3-"])
def test_a_span_that_makes_no_sense_is_refused(place: str) -> None:
    with pytest.raises(RefusedError, match=r"anchor 'a\.py:"):
        parse_place(place)
