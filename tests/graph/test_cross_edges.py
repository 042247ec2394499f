"""Edges between skills and memories: one direction each."""

import pytest
from tests.requirements import requirement

from recollect.errors import RefusedError
from recollect.graph.cross_edges import DIRECTION, CrossEdge, CrossType
from recollect.ids import parse_unified, skill_id

MEMORY, SKILL = parse_unified("mem:jwt"), skill_id("deploy")


@pytest.mark.parametrize("type", CrossType)
@requirement("skills:cross:direction")
def test_an_edge_can_be_made_one_way_only(type: CrossType) -> None:
    forth, back = ((SKILL, MEMORY), (MEMORY, SKILL))
    if DIRECTION[type] == ("mem", "skill"):
        forth, back = back, forth

    assert CrossEdge(forth[0], type, forth[1]).ends == forth
    for wrong in (back, (SKILL, SKILL), (MEMORY, MEMORY)):
        with pytest.raises(RefusedError, match="write it at the other end"):
            CrossEdge(wrong[0], type, wrong[1])
