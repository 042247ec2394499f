"""Commands at every phase of a run: applied once, or refused with a reason."""

import pytest
from tests.requirements import requirement
from tests.workflow.simulation import Simulation, succeeds, task

from recollect.errors import NotFoundError, NotPermittedError, RecollectError, RefusedError
from recollect.workflow import events
from recollect.workflow.commands import COMMANDS, CommandName
from recollect.workflow.document import InvalidWorkflowError

ARGUMENTS: dict[str, dict[str, object]] = {
    "inject_tasks": {"tasks": [task("new")]},
    "replan": {"tasks": [task("new")], "replaces": ["b"]},
    "skip": {"task": "b"},
    "modify_args": {"task": "b", "arguments": {"x": 1}},
    "answer": {"text": "go on"},
    "approve": {"task": "b", "approval": "0"},
    "reject": {"task": "b", "approval": "0"},
}


def run_at(phase: str) -> Simulation:
    run = Simulation([task("a"), task("b", needs=["a"])])
    match phase:
        case "running":
            run.start()
        case "paused":
            run.send("pause")
        case "failed":
            run.run(lambda id: events.TaskFailed(id, "no", "tool"))
        case "aborting":
            run.start()
            run.send("abort")
        case "ended":
            run.run()
    return run


@requirement("workflow:commands:queue")
@pytest.mark.parametrize("phase", ["new", "running", "paused", "failed", "aborting", "ended"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_at_any_phase_is_applied_or_refused_with_a_sentence(
    phase: str, name: CommandName
) -> None:
    run, refusal = run_at(phase), ""
    before = run.state
    try:
        run.send(name, "person", **ARGUMENTS.get(name, {}))
    except RecollectError as error:
        refusal = str(error)

    assert (run.state == before) is bool(refusal)
    assert not refusal or refusal.endswith(".")


@pytest.mark.parametrize("phase", ["aborting", "ended"])
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_changes_a_run_that_ends_or_has_ended(phase: str, name: CommandName) -> None:
    with pytest.raises(RefusedError):
        run_at(phase).send(name, "person", **ARGUMENTS.get(name, {}))


@requirement("workflow:approval:human")
@pytest.mark.parametrize("name", ["approve", "reject", "grant"])
def test_what_is_for_a_person_is_refused_to_an_agent(name: CommandName) -> None:
    with pytest.raises(NotPermittedError, match="only a person may"):
        run_at("running").send(name, "agent", **ARGUMENTS.get(name, {}))


def test_an_agent_cannot_say_that_a_write_in_doubt_happened() -> None:
    run = run_at("running")
    run.record(events.TaskInDoubt("a", "who knows"))

    with pytest.raises(NotPermittedError, match="only a person may"):
        run.send("answer", task="a", output={})

    run.send("answer", "person", task="a", output={"of": "a"})
    assert run.start() == ["b"]


def test_injected_tasks_join_the_graph() -> None:
    run = run_at("running")
    run.send("inject_tasks", tasks=[task("c", needs=["a"])])
    run.record(succeeds("a"))

    assert run.start() == ["b", "c"]
    with pytest.raises(RefusedError, match="already has a task 'c'"):
        run.send("inject_tasks", tasks=[task("c")])


def test_a_task_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(NotFoundError, match="it has a, b"):
        run_at("running").send("skip", task="x")


def test_replanned_tasks_take_the_place_of_those_that_wait() -> None:
    run = run_at("failed")
    run.send("replan", tasks=[task("c")], replaces=["a", "b"])

    state = run.run()

    assert [run.status(id) for id in "abc"] == ["failed", "skipped", "succeeded"]
    assert state.status == "partial"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (
            "inject_tasks",
            {"tasks": [task("c", needs=["d"]), task("d", needs=["c"])]},
            "wait for each other",
        ),
        ("inject_tasks", {"tasks": [task("c", needs=["x"])]}, "there is no task 'x'"),
        ("modify_args", {"task": "a", "arguments": {"x": "${b.y}"}}, "wait for each other"),
        ("modify_args", {"task": "b", "arguments": {"x": "${context.z}"}}, "the context has no 'z'"),
    ],
)
def test_no_command_makes_a_graph_that_cannot_end(
    name: CommandName, arguments: dict[str, object], said: str
) -> None:
    run = Simulation([task("a"), task("b", needs=["a"])])

    with pytest.raises(InvalidWorkflowError, match=said):
        run.send(name, "agent", **arguments)
