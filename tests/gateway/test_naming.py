"""Names of proxied tools: within limits, stable, and never two tools under one name."""

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.gateway.naming import LONGEST, listed_names
from recollect.gateway.tool import UpstreamTool

_ALLOWED = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}")
_PIECES = st.text(st.sampled_from("ab_-. é/"), max_size=40)
_TOOLS = st.lists(
    st.builds(UpstreamTool, _PIECES, _PIECES), max_size=12, unique_by=lambda tool: tool.id
)


def test_an_ordinary_tool_is_named_after_its_server() -> None:
    assert list(listed_names([UpstreamTool("git", "git_log")])) == ["git__git_log"]


def test_servers_and_tools_that_read_alike_get_different_names() -> None:
    first, second = UpstreamTool("a__b", "c"), UpstreamTool("a", "b__c")

    names = listed_names([first, second])

    assert sorted(tool.id for tool in names.values()) == ["a:b__c", "a__b:c"]
    assert names["a__b__c"] == second


def test_a_name_of_our_own_is_never_given_away() -> None:
    [name] = listed_names([UpstreamTool("a", "b")], taken=["a__b"])

    assert name.startswith("a__b_")


@requirement("gateway:exposure:names")
@given(_TOOLS)
def test_every_tool_has_one_name_within_the_limits_of_clients(tools: list[UpstreamTool]) -> None:
    names = listed_names(tools)

    assert sorted(tool.id for tool in names.values()) == sorted(tool.id for tool in tools)
    assert all(_ALLOWED.fullmatch(name) for name in names)


@given(_TOOLS, _TOOLS)
def test_a_name_does_not_depend_on_the_other_tools(
    tools: list[UpstreamTool], others: list[UpstreamTool]
) -> None:
    known = {tool.id for tool in tools}
    more = tools + [tool for tool in others if tool.id not in known]
    names = {tool.id: name for name, tool in listed_names(tools).items()}
    later = {tool.id: name for name, tool in listed_names(more).items()}

    assert {id: later[id] for id in names} == names
