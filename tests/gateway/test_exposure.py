"""Which tools are listed by name: none, all, or the pinned and most used that fit a budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.gateway.exposure import Exposure, Mode, listed_tools, parse_exposure
from recollect.gateway.tool import UpstreamTool

TOOLS = [UpstreamTool("git", name) for name in ("log", "diff", "commit")]
COSTS = {tool.id: 100 for tool in TOOLS}


@requirement("gateway:exposure:modes")
@pytest.mark.parametrize(
    ("mode", "names"),
    [("meta", []), ("proxy", ["log", "diff", "commit"]), ("hybrid", ["commit", "log"])],
)
def test_the_mode_decides_what_is_listed(mode: Mode, names: list[str]) -> None:
    exposure = Exposure(mode, pinned=("git:commit",), tokens=1_000)

    listed = listed_tools(exposure, TOOLS, COSTS, {"git:log": 3})

    assert [tool.name for tool in listed] == names


def test_settings_name_servers_and_pinned_tools_with_commas() -> None:
    exposure = parse_exposure("hybrid", "git, time", "git:log", 500)

    assert exposure == Exposure("hybrid", frozenset({"git", "time"}), ("git:log",), 500)
    assert exposure.sees("git")
    assert not exposure.sees("files")
    assert parse_exposure("meta", "all", "none", 0).sees("files")


@given(
    st.integers(0, 500),
    st.dictionaries(st.sampled_from([tool.id for tool in TOOLS]), st.integers(0, 9)),
)
def test_a_hybrid_list_stays_within_its_budget_and_prefers_what_is_used(
    tokens: int, calls: dict[str, int]
) -> None:
    listed = listed_tools(Exposure("hybrid", tokens=tokens), TOOLS, COSTS, calls)

    uses = [calls[tool.id] for tool in listed]
    assert sum(COSTS[tool.id] for tool in listed) <= tokens
    assert uses == sorted(uses, reverse=True)
    assert 0 not in uses
