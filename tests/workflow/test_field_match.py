"""An output field feeds an input by name and by type, and says how sure that is."""

from typing import Any

import pytest
from tests.requirements import requirement
from tests.workflow.planning_tools import NUMBER, TEXT, listing, obj, tool

from recollect.gateway.tool import UpstreamTool
from recollect.gateway.vault.json_path import show_path
from recollect.workflow.field_match import matches, tool_shape
from recollect.workflow.schema_fields import fields, required_inputs


def feed(source: UpstreamTool, target: UpstreamTool) -> dict[str, str]:
    return {
        match.parameter: show_path(match.path)
        for match in matches(tool_shape(source, source.output_schema or {}), tool_shape(target, {}))
    }


def certainty(
    gives: dict[str, Any], takes: dict[str, Any], source: str = "make", target: str = "use"
) -> float:
    feeds = matches(tool_shape(tool(source), gives), tool_shape(tool(target, takes), {}))
    return feeds[0].certainty if feeds else 0.0


@requirement("workflow:plan:dependencies")
@pytest.mark.parametrize(
    ("gives", "takes", "path"),
    [
        (obj(issue_id=TEXT), {"issue_id": TEXT}, "issue_id"),
        (obj(issueId=TEXT), {"issue_id": TEXT}, "issueId"),
        (obj(issue=obj(id=TEXT)), {"issue_id": TEXT}, "issue.id"),
        (obj(issues=listing(obj(id=NUMBER))), {"issue_id": NUMBER}, "issues[0].id"),
        (obj(issues=listing(obj(id=NUMBER))), {"issue_ids": listing(NUMBER)}, "issues[*].id"),
        (obj(tags=listing(TEXT)), {"tags": listing(TEXT)}, "tags"),
        (obj(repository_path=TEXT), {"repo_path": TEXT}, "repository_path"),
        (obj(count=NUMBER, branch=TEXT), {"branch": TEXT}, "branch"),
        (obj(order=obj(number=NUMBER)), {"order": {"type": "object"}}, "order"),
        ({"$ref": "#/$defs/R", "$defs": {"R": obj(user_id=TEXT)}}, {"user_id": TEXT}, "user_id"),
        (obj(user_id={"anyOf": [TEXT, {"type": "null"}]}), {"user_id": TEXT}, "user_id"),
        (obj(user_id=NUMBER), {"user_id": {"type": "number"}}, "user_id"),
        (obj(user_id={}), {"user_id": TEXT}, "user_id"),
    ],
)
def test_a_field_feeds_the_input_that_its_name_and_type_fit(
    gives: dict[str, Any], takes: dict[str, Any], path: str
) -> None:
    assert list(feed(tool("make", gives=gives), tool("use", takes)).values()) == [path]


@pytest.mark.parametrize(
    ("gives", "takes"),
    [
        (obj(issue_id=TEXT), {"issue_id": NUMBER}),
        (obj(user=obj(id=TEXT)), {"issue_id": TEXT}),
        (obj(id=TEXT), {"id": TEXT}),
        (obj(name=TEXT, status=TEXT), {"name": TEXT, "status": TEXT}),
        (obj(state=TEXT), {"state": {"type": "string", "enum": ["open", "closed"]}}),
        (obj(tag=TEXT), {"tags": listing(TEXT)}),
        (obj(**{"odd{id}": TEXT}), {"odd{id}": TEXT}),
        ({"type": "array", "items": {"$ref": "#/items"}}, {"user_id": TEXT}),
    ],
)
def test_other_names_types_and_general_names_feed_nothing(
    gives: dict[str, Any], takes: dict[str, Any]
) -> None:
    assert feed(tool("make", gives=gives), tool("use", takes)) == {}


def test_a_general_name_feeds_a_tool_about_the_same_thing() -> None:
    created = tool("create_issue", gives=obj(id=TEXT))

    assert feed(created, tool("close_issue", {"id": TEXT})) == {"id": "id"}
    assert feed(created, tool("close_issue", {"issue_id": TEXT})) == {"issue_id": "id"}
    assert feed(created, tool("create_user", {"id": TEXT})) == {}


def test_a_surer_name_and_a_place_that_is_always_there_are_more_certain() -> None:
    always, takes = obj(order_id=TEXT), {"order_id": TEXT}
    sometimes = {**always, "required": []}
    of_order = obj(order=obj(id=TEXT))
    first = obj(orders=listing(obj(id=TEXT)))

    sure = [certainty(gives, takes) for gives in (always, of_order, sometimes, first)]
    assert sure == sorted(sure, reverse=True)
    assert len(set(sure)) == 4


def test_what_describes_a_thing_feeds_less_than_what_identifies_it() -> None:
    parcel = {**obj(parcel_id=TEXT, parcel_weight=NUMBER), "required": []}

    assert feed(
        tool("weigh_all", gives=parcel), tool("ship", {"parcel_id": TEXT, "parcel_weight": NUMBER})
    ) == {"parcel_id": "parcel_id"}


def test_what_a_tool_is_about_feeds_even_if_it_only_describes() -> None:
    takes = {"distance": NUMBER}
    gives = {**obj(distance=NUMBER), "required": []}

    assert feed(tool("estimate_distance", gives=gives), tool("drive", takes)) == {
        "distance": "distance"
    }
    assert feed(tool("plan_trip", gives=gives), tool("drive", takes)) == {}
    assert feed(tool("list_tags", gives=obj(tags=listing(TEXT))), tool("show", {"tag": TEXT})) == {
        "tag": "tags[0]"
    }


def test_a_tool_that_takes_a_value_does_not_make_it() -> None:
    reads = tool("get_ticket", {"ticket_id": NUMBER}, obj(ticket_id=NUMBER))

    assert feed(reads, tool("close_ticket", {"ticket_id": NUMBER})) == {}


def test_fields_of_a_schema_that_refers_to_itself_end() -> None:
    tree = {"$ref": "#/$defs/T", "$defs": {"T": obj(id=TEXT, children=listing({"$ref": "#/$defs/T"}))}}
    circle = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}

    assert 2 < len(list(fields(tree))) < 20
    assert list(fields(circle)) == []


def test_required_inputs_say_what_to_fill_in() -> None:
    schema = obj(kind={"type": "string", "enum": ["a", "b"], "description": "which one"}) | {
        "required": ["kind", "x"]
    }
    kind, unknown = required_inputs(schema)

    assert (kind.name, kind.about, kind.choices) == ("kind", "which one", ("a", "b"))
    assert (unknown.name, unknown.types) == ("x", frozenset())
