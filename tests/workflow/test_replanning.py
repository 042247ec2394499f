"""A run that failed is planned again: what is done is used, nothing is repeated, and the rest follows."""

from typing import Any

from tests.requirements import requirement
from tests.workflow.planning_tools import NUMBER, TEXT, obj, outputs, tool
from tests.workflow.simulation import Simulation, succeeds

from recollect.gateway.tool import UpstreamTool
from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.candidates import RequestStep, ToolCandidate
from recollect.workflow.document import task_document
from recollect.workflow.plan import Replaces, Unfinished
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.replanning import Graft, replan
from recollect.workflow.task import Task
from recollect.workflow.validation import problems

FIND = tool("find_order", {"customer": TEXT}, obj(order=obj(id=NUMBER)), reads=True)
FETCH = tool("fetch_invoice", {"order_id": NUMBER, "language": TEXT}, obj(invoice_text=TEXT))
PRINT = tool("print_invoice", {"order_id": NUMBER, "language": TEXT}, obj(invoice_text=TEXT))
SEND = tool("send_mail", {"invoice_text": TEXT, "to": TEXT})
TOOLS = [FIND, FETCH, PRINT, SEND]
STEPS = tuple(RequestStep(text) for text in ("find the order", "fetch the invoice", "mail it"))
SCORES = {
    FIND.id: (1.0, 0.1, 0.1),
    FETCH.id: (0.1, 1.0, 0.1),
    PRINT.id: (0.1, 0.8, 0.1),
    SEND.id: (0.0, 0.0, 1.0),
}


def request(*without: UpstreamTool, **known: Any) -> PlanRequest:
    left = [each for each in TOOLS if each not in without]
    scores = [ToolCandidate(each, 1.0, SCORES[each.id]) for each in left]
    return PlanRequest(
        "mail the invoice", scores, STEPS, {t.id: t for t in left}, outputs(left), **known
    )


def workflow() -> list[JsonObject]:
    return [
        {"id": "find", "tool": FIND.id, "arguments": {"customer": "Ada"}},
        {
            "id": "fetch",
            "tool": FETCH.id,
            "arguments": {"order_id": "${find.order.id}", "language": "de"},
        },
        {
            "id": "send_mail",
            "tool": SEND.id,
            "arguments": {"invoice_text": "${fetch.invoice_text}", "to": "ada@example.org"},
            "approval": "always",
        },
        {"id": "note", "tool": "s:note", "needs": ["send_mail"]},
    ]


def outcome(task: str) -> events.RunEvent:
    if task == "fetch":
        return events.TaskFailed(task, "no such invoice", "tool")
    return events.TaskSucceeded(task, {"order": {"id": 7}}) if task == "find" else succeeds(task)


def grafted(graft: Graft) -> dict[str, Task]:
    return {task.id: task for task in graft.plan.workflow.tasks}


@requirement("workflow:replan:uses-what-is-done")
def test_another_tool_takes_the_place_of_one_that_failed_and_what_waited_follows() -> None:
    simulation = Simulation(workflow())
    simulation.run(outcome)
    graft = replan(request(), simulation.state)
    tasks = grafted(graft)

    assert list(tasks) == ["print_invoice", "s_send_mail"]
    assert tasks["print_invoice"].arguments == {"order_id": "${find.order.id}", "language": "de"}
    assert tasks["s_send_mail"].arguments == {
        "invoice_text": "${print_invoice.invoice_text}",
        "to": "ada@example.org",
    }
    assert tasks["s_send_mail"].approval == "always"
    assert graft.plan.choices["print_invoice"].reason == Replaces("fetch")
    assert graft.plan.choices["s_send_mail"].reason == Unfinished("send_mail")
    assert graft.replaces == ("fetch", "send_mail")
    assert graft.left == ("note",)
    assert graft.plan.missing == ()


@requirement("workflow:replan:uses-what-is-done")
def test_the_new_tasks_can_be_added_to_the_run_and_finish_it() -> None:
    simulation = Simulation(workflow()[:3])
    simulation.run(outcome)
    graft = replan(request(), simulation.state)
    known = {each.id: each for each in TOOLS}
    everything = [*simulation.state.workflow.tasks, *graft.plan.workflow.tasks]
    assert problems(everything, known, outputs(TOOLS), {}) == []

    documents = tuple(task_document(task) for task in graft.plan.workflow.tasks)
    simulation.record(events.TasksAdded(documents, "agent"))
    for id in graft.replaces:
        if simulation.status(id) == "pending":
            simulation.record(events.TaskSkipped(id, "replaced"))
    simulation.record(events.RunContinued())
    simulation.run(lambda task: events.TaskSucceeded(task, {"invoice_text": "12 EUR"}))

    assert simulation.status("s_send_mail") == "succeeded"
    assert [event.task for event in simulation.log if isinstance(event, events.TaskStarted)].count(
        "find"
    ) == 1


def test_without_another_tool_the_same_is_planned_again_with_less_confidence() -> None:
    simulation = Simulation(workflow())
    simulation.run(outcome)
    same, other = replan(request(PRINT), simulation.state), replan(request(), simulation.state)

    assert grafted(same)["fetch_invoice"].arguments == {
        "order_id": "${find.order.id}",
        "language": "de",
    }
    assert same.plan.confidence.relevance < other.plan.confidence.relevance


def test_references_go_to_outputs_as_they_are() -> None:
    """The schema of `find_order` says `order.id`; what it gave is `result[0].order_id`."""
    simulation = Simulation(workflow()[:1])
    simulation.run(lambda task: events.TaskSucceeded(task, {"result": [{"order_id": 7}]}))
    graft = replan(request(), simulation.state)

    assert grafted(graft)["fetch_invoice"].arguments == {"order_id": "${find.result[0].order_id}"}


def test_each_of_two_tasks_with_one_tool_is_planned_again() -> None:
    tasks = [
        {
            "id": f"mail_{number}",
            "tool": SEND.id,
            "arguments": {"to": f"{number}", "invoice_text": "${fetch.invoice_text}"},
        }
        for number in range(2)
    ]
    simulation = Simulation([*workflow()[:2], *tasks])  # type: ignore[list-item]
    simulation.run(outcome)
    graft = replan(request(), simulation.state)

    assert graft.replaces == ("fetch", "mail_0", "mail_1")
    assert {
        str(task.arguments["to"]) for task in graft.plan.workflow.tasks if task.tool == SEND.id
    } == {"0", "1"}


def test_an_order_that_tasks_had_is_kept_between_those_that_replace_them() -> None:
    order_only: list[JsonObject] = [
        {"id": "fetch", "tool": FETCH.id, "arguments": {"order_id": 1, "language": "de"}},
        {
            "id": "mail",
            "tool": SEND.id,
            "needs": ["fetch"],
            "arguments": {"to": "a", "invoice_text": "b"},
        },
    ]
    simulation = Simulation(order_only)
    simulation.run(outcome)
    made = {task.tool: task for task in replan(request(), simulation.state).plan.workflow.tasks}

    assert made[SEND.id].needs == (made[PRINT.id].id,)


def test_a_run_without_a_failure_gets_only_what_it_lacks() -> None:
    simulation = Simulation(workflow()[:2])
    simulation.run(lambda task: events.TaskSucceeded(task, {"order": {"id": 7}, "invoice_text": "x"}))
    graft = replan(request(), simulation.state)

    assert list(grafted(graft)) == ["send_mail"]
    assert grafted(graft)["send_mail"].arguments == {"invoice_text": "${fetch.invoice_text}"}
    assert [each.name for each in graft.plan.missing] == ["to"]
    assert (graft.replaces, graft.left) == ((), ())
