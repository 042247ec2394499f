"""What planning reads before it plans."""

from tests.workflow.planning_tools import TEXT, tool

from recollect.app.planner import related
from recollect.gateway.tool_graph import ToolEdge
from recollect.workflow.candidates import ToolCandidate
from recollect.workflow.plan_request import PlanRequest

TOOLS = [tool(name, {"text": TEXT}) for name in ("asked", "before", "after", "used", "other")]
ASKED, BEFORE, AFTER, USED, _ = TOOLS


def test_schemas_are_read_of_the_tools_that_a_plan_may_have_and_of_no_others() -> None:
    edge = ToolEdge(BEFORE.id, AFTER.id)
    request = PlanRequest(
        "ask", [ToolCandidate(ASKED, 1.0, (1.0,))], catalogue={t.id: t for t in TOOLS}, edges=[edge]
    )

    assert related(request, {USED.id}) == [ASKED, BEFORE, AFTER, USED]
