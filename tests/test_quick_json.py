"""JSON for a hook says what `json` says, to the byte, and loads no regular expressions."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect import quick_json

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@requirement("house:json:same-as-json")
@given(_VALUES, st.sampled_from([None, 2]), st.sampled_from(["", " ", "\n\t"]))
def test_any_document_is_read_and_written_as_json_does_it(
    told: object, indent: int | None, space: str
) -> None:
    text = space + json.dumps(told, indent=indent) + space

    assert quick_json.loads(text) == told
    assert quick_json.loads(text.encode()) == told
    assert quick_json.dumps(told) == json.dumps(told, separators=(",", ":"))
    plain = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    assert quick_json.dumps(told, ascii_only=False) == plain


@requirement("house:json:same-as-json")
@given(st.text(alphabet='{}[]",:0123456789.eE+-nulltrue \\u', max_size=30) | st.binary(max_size=12))
def test_any_text_is_refused_when_and_as_json_refuses_it(text: str | bytes) -> None:
    def outcome(read: object) -> object:
        try:
            return read(text)  # type: ignore[operator]
        except ValueError as error:
            return f"{type(error).__name__}: {error}"

    assert repr(outcome(quick_json.loads)) == repr(outcome(json.loads))


def test_documents_in_other_encodings_are_read() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert quick_json.loads('{"é": 1}'.encode(encoding)) == {"é": 1}


def test_what_json_has_no_form_for_is_an_error_that_shows_it() -> None:
    with pytest.raises(TypeError, match="set has no form in JSON"):
        quick_json.dumps({"a": {1}})


@requirement("house:json:light")
def test_reading_and_writing_json_loads_no_regular_expressions() -> None:
    code = (
        "import sys; from recollect.quick_json import loads, dumps; dumps(loads(' {\"a\": [1]} '));"
        "print(*(name in sys.modules for name in ('json', 're', 'enum')))"
    )
    shown = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {_source()!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == ["False"] * 3


def _source() -> str:
    return quick_json.__file__.removesuffix("/recollect/quick_json.py")
