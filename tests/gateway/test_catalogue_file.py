"""A catalogue in a file, in each of its forms."""

import json

import pytest

from recollect.errors import InvalidError
from recollect.gateway.catalogue_file import parse_catalogue
from recollect.gateway.tool import UpstreamTool

ROWS = [
    {"name": "read", "description": "Reads.", "inputSchema": {"type": "object"}},
    {"name": "write", "server": "files", "input_schema": {"type": "object"}},
]
TOOLS = [
    UpstreamTool("catalogue", "read", "Reads.", {"type": "object"}),
    UpstreamTool("files", "write", "", {"type": "object"}),
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"tools": ROWS}),
        json.dumps(ROWS),
        "\n".join(json.dumps(row) for row in ROWS) + "\n\n",
    ],
)
def test_each_form_gives_the_same_tools(text: str) -> None:
    assert parse_catalogue(text, "tools.json") == TOOLS


def test_a_single_object_is_one_tool() -> None:
    assert parse_catalogue('{"name": "read"}', "f") == [UpstreamTool("catalogue", "read")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "f is not valid JSON"),
        ("nonsense", "f is not valid JSON"),
        ('{"name": "a"}\nnonsense', "f, line 2 is not valid JSON"),
        ("[1]", "f, tool 1: the tool has no name"),
        ('[{"name": "a"}, {"name": ""}]', "f, tool 2: the tool has no name"),
        ('[{"name": "a"}, {"name": "a"}]', "'catalogue:a' is listed twice"),
        ("[" * 100_000, "f is not valid JSON"),
    ],
)
def test_what_is_wrong_is_named(text: str, problem: str) -> None:
    with pytest.raises(InvalidError, match=problem):
        parse_catalogue(text, "f")
