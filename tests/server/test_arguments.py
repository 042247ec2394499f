"""What a tool takes: shown shortly, checked with reasons."""

import pytest

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.records.fields import Choice, Count, Field, Listing, Object, Share, Text
from recollect.server import budget
from recollect.server.tool import READS, Tool, ToolReply, check, input_schema
from recollect.views.saves import ToolSaveOutput

FIELDS = (
    Field("query", Text(min_length=1), "what to look for", required=True),
    Field("kind", Choice(("a", "b")), "which"),
    Field("limit", Count(), "how many"),
    Field("rows", Listing(Object((Field("x", Share(), "", required=True),))), "some"),
)


def test_the_schema_of_arguments_names_each_and_allows_no_other() -> None:
    assert input_schema(FIELDS) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "kind": {"type": "string", "enum": ["a", "b"], "description": "which"},
            "limit": {"type": "integer", "minimum": 0, "description": "how many"},
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"x": {"type": "number"}},
                    "required": ["x"],
                },
                "description": "some",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "query: is missing: what to look for"),
        ({"query": 5}, "query: must be text, not 5"),
        ({"query": "x", "kind": "c"}, "kind: must be a | b, not 'c'"),
        ({"query": "x", "limit": -1}, "limit: must be a whole number from 0, not -1"),
        ({"query": "x", "rows": [{"x": 2}]}, "rows[0].x: must be a number from 0 to 1, not 2"),
        ({"query": "x", "qeury": "y"}, "unknown argument 'qeury'; did you mean 'query'?"),
        ({"query": "x", "zzz": 1}, "unknown argument 'zzz'; it takes query, kind, limit, rows"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_was_expected(
    given: dict[str, object], expected: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        check("a_tool", FIELDS, given)

    assert str(refused.value) == f"wrong arguments for a_tool: {expected}."


def test_every_wrong_argument_is_reported_at_once() -> None:
    with pytest.raises(
        RefusedError, match=r"unknown argument 'x'.*; query: is missing.*; limit: must be"
    ):
        check("a_tool", FIELDS, {"x": 1, "limit": "two"})


def test_the_arguments_in_a_cursor_are_checked_like_any_others(project: Recollect) -> None:
    fields = (*FIELDS, Field("cursor", Text(), "more"))
    tool = Tool(
        "a_tool", "", fields, ToolSaveOutput, READS, lambda _project, _request: ToolReply({}, "")
    )
    forged = budget.cursor("a_tool", {"query": 5}, 3)

    with pytest.raises(RefusedError, match="query: must be text"):
        tool.call(project, {"query": "x", "cursor": forged}, lambda _done, _total: None)
