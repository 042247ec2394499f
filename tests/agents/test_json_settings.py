"""One entry in, one entry out, every other byte as it was."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.settings_files import VALUES, commented, comments_of, texts

from recollect.agents.json_settings import Path, value_at, with_value, without_value
from recollect.agents.json_text import formatted, parse
from recollect.errors import RefusedError


def plain(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts())
def test_a_file_is_read_as_any_parser_reads_it(text: str) -> None:
    assert parse(text).value == plain(text)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES, st.sampled_from([None, "  ", "\t", ""]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_formatted_is_the_value(value: Any, unit: str | None, eol: str) -> None:
    assert json.loads(formatted(value, unit, "    ", eol)) == value


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts(), st.sampled_from(["new", "model", "permissions"]), VALUES)
def test_a_placed_entry_is_there_and_nothing_else_has_changed(text: str, key: str, value: Any) -> None:
    after = with_value(text, (key,), value)

    assert plain(after) == plain(text) | {key: value}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts(), VALUES)
def test_an_entry_that_went_in_comes_out_without_a_trace(text: str, value: Any) -> None:
    paths: list[Path] = [("new",), ("new", "deep", "deeper"), ("new", 0, "item"), ("mcpServers", "new")]
    for path in paths:
        assert without_value(with_value(text, path, value), path) == text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(commented(), st.sampled_from(["new", "model", "permissions"]), VALUES)
def test_an_entry_beside_comments_is_there_and_every_comment_stays(
    text: str, key: str, value: Any
) -> None:
    before = parse(text).value
    assert isinstance(before, dict)

    after = with_value(text, (key,), value)

    assert parse(after).value == before | {key: value}
    if key == "new":
        assert comments_of(after) == comments_of(text)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(commented(), VALUES)
def test_an_entry_that_went_in_beside_comments_comes_out_without_a_trace(text: str, value: Any) -> None:
    paths: list[Path] = [("new",), ("new", "deep", "deeper"), ("new", 0, "item"), ("mcpServers", "new")]
    for path in paths:
        assert without_value(with_value(text, path, value), path) == text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(commented(), st.data())
def test_removing_any_entry_leaves_the_others_and_their_comments(
    text: str, data: st.DataObject
) -> None:
    before = parse(text).value
    assert isinstance(before, dict)
    keys = sorted(before)
    if not keys:
        return
    key = data.draw(st.sampled_from(keys))
    inside = comments_of(_own_text(text, key))

    after = without_value(text, (key,))

    del before[key]
    assert (parse(after).value if after is not None else {}) == before
    if after is not None:
        assert len(comments_of(after)) == len(comments_of(text)) - len(inside)


def _own_text(text: str, key: str) -> str:
    [child] = [child for child in parse(text).children if child.key == key]
    return text[child.start : child.node.end]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n  "a": 1 // about a\n}\n',
            '{\n  "a": 1, // about a\n  "new": true\n}\n',
        ),
        (
            '{\n  "a": 1, // about a\n}\n',
            '{\n  "a": 1, // about a\n  "new": true,\n}\n',
        ),
        ('{"a": 1 /* about a */}', '{"a": 1, /* about a */ "new": true}'),
        ('{"a": 1 // about a\n}', '{"a": 1, // about a\n"new": true\n}'),
        ("{ // nothing yet\n}", '{"new": true // nothing yet\n}'),
    ],
)
def test_a_comment_stays_with_the_entry_that_it_is_about(before: str, after: str) -> None:
    assert with_value(before, ("new",), True) == after
    assert without_value(after, ("new",)) == before


SEVERAL: list[Path] = [("a", 0), ("a", 1), ("b", "c"), ("hooks", "New", 0)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts(), st.permutations(SEVERAL))
def test_several_entries_come_out_in_any_order(text: str, order: list[Path]) -> None:
    before = text
    for path in SEVERAL:
        before = with_value(before, path, {"ours": list(path)})
    after: str | None = before
    for path in sorted(order, key=lambda path: path == ("a", 0)):  # a place in a list may not move
        assert after is not None
        after = without_value(after, path)

    assert after == text


def test_a_new_file_is_made_and_goes_when_its_last_entry_goes() -> None:
    made = with_value(None, ("hooks", "Stop", 0), {"command": "x"})

    assert made.startswith('{\n  "hooks"')
    assert made.endswith("}\n")
    assert without_value(made, ("hooks", "Stop", 0)) is None


@pytest.mark.parametrize(
    "text", ["{}", "{}\n", "{ }", "{\n}\n", '{"hooks": {}}', '{"hooks": {"Stop": [ ]}}']
)
def test_an_empty_container_that_was_there_stays(text: str) -> None:
    path = ("hooks", "Stop", 0)

    assert without_value(with_value(text, path, {"command": "x"}), path) == text


def test_an_entry_takes_on_the_indentation_of_the_file() -> None:
    text = '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'

    after = with_value(text, ("a", "c"), {"d": []})

    assert after == '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": {\n\t\t\t"d": []\n\t\t}\n\t}\n}\n'


def test_a_value_that_is_there_already_changes_no_byte() -> None:
    text = '{ "a" :{"b":[1 , 2]} }'

    assert with_value(text, ("a", "b"), [1, 2]) is text


def test_what_others_wrote_after_our_entry_stays_when_it_goes() -> None:
    made = with_value(None, ("hooks", "Stop", 0), {"ours": True})
    later = with_value(made, ("theirs",), 1)

    assert plain(without_value(later, ("hooks", "Stop", 0)) or "") == {"theirs": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1 /* mine }', "comment on line 1 is never closed"),
        ('{"a": 1,,}', "line 1"),
        ("{,}", "line 1"),
        ('{"a": 1, / mine\n}', "line 1"),
        ("{'a': 1}", "line 1"),
        ('{"a": NaN}', "line 1"),
        ('{"a": 01}', "line 1"),
        ('{"a": "\n"}', "line 1"),
        ('{"a": 1} {}', "line 1"),
        ("", "empty"),
        ('{"a": ', "empty or incomplete"),
        ('{"a" 1}', "line 1"),
        ("[" * 200 + "]" * 200, "100 levels"),
        ('{"a": ' + "9" * 5000 + "}", "line 1"),
    ],
)
def test_what_is_not_plain_json_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        with_value(text, ("hooks",), {})


@pytest.mark.parametrize(
    "text", ["[]", "null", '{"hooks": []}', '{"hooks": null}', '{"hooks": {"Stop": {}}}']
)
def test_something_else_where_entries_belong_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="unexpected value"):
        with_value(text, ("hooks", "Stop", 0), {})


def test_nothing_on_the_way_is_no_value_and_removes_nothing() -> None:
    assert value_at('{"a": {}}', ("a", "b", "c")) is None
    assert value_at(None, ("a",)) is None
    assert without_value('{"a": {}}', ("a", "b")) == '{"a": {}}'
    assert without_value('{"a": {}}', ("x", "b")) == '{"a": {}}'
