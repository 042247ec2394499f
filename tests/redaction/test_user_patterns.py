import pytest
from tests.requirements import requirement
from tests.timing import growth

from recollect.config import RedactionConfig
from recollect.errors import InvalidConfigError
from recollect.redaction.redact import REDACTED, digest
from recollect.redaction.user_patterns import gate_of, redactor

ACME = {"id": "acme badge", "pattern": "badge-[0-9]{4}"}


def config(**lists: object) -> RedactionConfig:
    return RedactionConfig(**{name: ((f"{name}.json", content),) for name, content in lists.items()})


@requirement("redaction:own:patterns")
def test_a_users_own_pattern_is_taken_out_and_named_by_its_id() -> None:
    text, spans = redactor(config(patterns=[ACME]))("my badge-1234 here")

    assert (text, [span.kind for span in spans]) == (f"my {REDACTED} here", ["acme badge"])
    assert gate_of(config(patterns=[ACME]))({"a": ["badge-1234"]})[0] == {"a": [REDACTED]}


def test_a_users_pattern_is_looked_for_in_all_of_a_long_text() -> None:
    text = "plain words. " * 12_000 + "badge-1234"

    assert redactor(config(patterns=[ACME]))(text)[0].endswith(f"words. {REDACTED}")


def test_a_users_pattern_that_finds_the_mark_itself_ends() -> None:
    own = {"id": "capitals", "pattern": "[A-Z]{3,}"}

    assert redactor(config(patterns=[own]))("say ABCDE twice")[0] == f"say {REDACTED} twice"


@requirement("rules:patterns:linear")
@pytest.mark.parametrize("pattern", [".", "x*", "a", "[^b]*b|a", r"\]a"])
@pytest.mark.parametrize("unit", ["a", "a\n"])
def test_redacting_four_times_the_text_takes_about_four_times_as_long(pattern: str, unit: str) -> None:
    """Quadratic time would be sixteen times as long."""
    clean = redactor(config(patterns=[{"id": "broad", "pattern": pattern}, ACME]))

    assert growth(lambda size: clean(("badge-1234" + unit * size)[:size]), 5_000, 20_000) < 9


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ({"patterns": [{"id": "ahead", "pattern": "(?=a)b"}]}, "'ahead'"),
        ({"patterns": [{"id": "broken", "pattern": "("}]}, "'broken'"),
        ({"patterns": [{"pattern": "x"}]}, "write each pattern as"),
        ({"patterns": "x"}, "must be lists"),
        ({"allow": ["abc"]}, "recollect redact --digests"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name_with_its_origin(
    lists: dict[str, object], told: str
) -> None:
    with pytest.raises(InvalidConfigError, match="json") as refused:
        gate_of(config(**lists))

    assert told in str(refused.value)


def test_an_allowed_digest_lets_one_value_stay() -> None:
    clean = gate_of(config(patterns=[ACME], allow=[digest("badge-1234").upper()]))

    assert clean("badge-1234 badge-9999")[0] == f"badge-1234 {REDACTED}"
