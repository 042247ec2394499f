"""The passages that an embedder is given."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.vectors import HEAD, MOST_PASSAGES, PASSAGE, head, passages


def test_a_title_that_repeats_the_body_is_left_out() -> None:
    assert head("Retry", "Retry the queue") == "Retry the queue"
    assert head("Queues", "Retry the queue") == "Queues\nRetry the queue"
    assert head("", "body") == "body"


def test_lines_are_kept_whole_and_long_ones_cut_at_a_space() -> None:
    lines = ["a" * 400, "b" * 400, "c" * 400]
    text, long = "\n".join(lines), "word " * 400

    assert passages("one\ntwo") == ["one\ntwo"]
    assert passages(text) == [text[:HEAD], f"{lines[0]}\n{lines[1]}", lines[2]]
    assert all(piece.split() == ["word"] * len(piece.split()) for piece in passages(long)[1:])
    assert passages("  ") == [""]


@given(st.text(max_size=5000))
def test_a_passage_is_never_longer_than_an_embedder_can_hold(text: str) -> None:
    found = passages(text)

    assert 1 <= len(found) <= MOST_PASSAGES + 1
    assert max(map(len, found)) <= max(PASSAGE, HEAD)
    pieces = found if len(found) == 1 else found[1:]
    assert "".join("".join(pieces).split()) == "".join(text.split())
