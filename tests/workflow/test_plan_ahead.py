"""Which tasks of a plan can be called before it runs: those that read, and whose arguments are known."""

from dataclasses import replace

import pytest

from recollect.records.json_format import Json
from recollect.workflow.conditions import Condition
from recollect.workflow.plan import MissingArgument, Plan, PlanConfidence
from recollect.workflow.plan_ahead import TaskAhead, task_probability, tasks_ahead
from recollect.workflow.references import OutputReference
from recollect.workflow.task import ForEach, Task, Workflow

SURE, UNSURE = PlanConfidence(1, 1, 1), PlanConfidence(0.8, 1, 1)
READ = Task("read", "files:read", {"path": "a"})
NEXT = Task("next", "files:read", {"path": "${read.other}"})
WRITE = Task("write", "files:write", {"path": "a"})


def planned(*tasks: Task, confidence: PlanConfidence = SURE) -> Plan:
    return Plan(Workflow(tasks, context={"home": "/x"}), {}, (), (), (), (), confidence)


def ahead(plan: Plan, outputs: dict[str, Json] | None = None) -> dict[str, TaskAhead]:
    tasks = tasks_ahead(plan, (), lambda tool: tool.endswith("read"), outputs or {})
    return {each.task.id: each for each in tasks}


def test_a_task_with_values_can_start_and_one_that_waits_for_an_output_cannot() -> None:
    assert list(ahead(planned(READ, NEXT))) == ["read"]


def test_a_task_can_start_once_what_it_refers_to_is_there() -> None:
    [task] = ahead(planned(READ, NEXT), {"read": {"other": "b"}}).values()

    assert task.arguments == {"path": "b"}


def test_values_of_the_context_are_known() -> None:
    [task] = ahead(planned(replace(READ, arguments={"path": "${context.home}/y"}))).values()

    assert task.arguments == {"path": "/x/y"}


@pytest.mark.parametrize(
    "between",
    [replace(READ, id="between", needs=("write",)), replace(READ, id="between", after=("write",))],
)
def test_a_read_after_a_write_waits_for_it(between: Task) -> None:
    last = replace(READ, id="last", needs=("between",))

    assert {"between", "last"}.isdisjoint(ahead(planned(WRITE, between, last)))


def test_conditions_lists_and_missing_arguments_leave_a_task_out() -> None:
    condition = Condition(OutputReference("context", ("home",)))
    conditional = replace(READ, when=(condition,))
    repeated = replace(READ, for_each=ForEach([1, 2]))
    lacking = replace(planned(READ), missing=(MissingArgument("read", "path"),))

    assert not ahead(planned(conditional))
    assert not ahead(planned(repeated))
    assert not ahead(lacking)


def test_a_plan_is_believed_less_than_it_says_unless_the_agent_named_the_tool() -> None:
    plan = planned(READ, confidence=UNSURE)

    assert task_probability(plan, READ, ()) < plan.confidence.value < 0.92
    assert task_probability(plan, READ, {READ.tool}) >= 0.92
    assert task_probability(planned(READ), READ, ()) >= 0.92
