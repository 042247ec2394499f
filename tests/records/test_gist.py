"""The gist of a memory: the sentence that a prompt gets below its title."""

import pytest
from tests.requirements import requirement

from recollect.records.gist import GIST_LENGTH, gist


@pytest.mark.parametrize(
    ("category", "content", "expected"),
    [
        ("decision", {"decision": "Sign a JWT. It ends soon.", "context": "x"}, "Sign a JWT."),
        (
            "constraint",
            {"rule": "Mask names,\ne.g. in exports. Always."},
            "Mask names, e.g. in exports.",
        ),
        ("preference", {"value": "Indent with tabs"}, "Indent with tabs"),
        ("runbook", {"trigger": "Rows stop for an hour."}, "Rows stop for an hour."),
        ("tech_debt", {"description": "The parser is slow."}, "The parser is slow."),
        ("session_summary", {"outcome": "The queue moved."}, "The queue moved."),
        ("decision", {"decision": "Kafka 3.7 is used. Not 4."}, "Kafka 3.7 is used."),
    ],
)
def test_the_gist_is_the_first_sentence_of_the_field_that_carries_it(
    category: str, content: dict[str, object], expected: str
) -> None:
    assert gist(category, content, "Networking") == expected  # type: ignore[arg-type]


@requirement("hook:prompt:gist")
@pytest.mark.parametrize("title", ["Use PostgreSQL for orders", "We used PostgreSQL for all orders"])
def test_a_title_that_says_the_same_needs_no_gist(title: str) -> None:
    assert gist("decision", {"decision": "Use PostgreSQL for the orders."}, title) == ""


@requirement("hook:prompt:gist")
@pytest.mark.parametrize("text", ["word " * 100, "x" * 400])
def test_a_long_sentence_is_cut(text: str) -> None:
    sentence = gist("decision", {"decision": text}, "Networking")

    assert len(sentence) <= GIST_LENGTH
    assert sentence.endswith("…")


@pytest.mark.parametrize("content", [{}, {"decision": None}, {"decision": ["a"]}, {"decision": " "}])
def test_a_record_without_that_field_has_no_gist(content: dict[str, object]) -> None:
    assert gist("decision", content, "Networking") == ""  # type: ignore[arg-type]
    assert gist("no such category", content, "Networking") == ""  # type: ignore[arg-type]
