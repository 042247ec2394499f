"""Which tasks start, wait, are skipped, and when a run is over."""

from random import Random

import pytest
from tests.requirements import requirement
from tests.workflow.simulation import Simulation, succeeds, task

from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import ENDED


def fails(id: str) -> events.RunEvent:
    return events.TaskFailed(id, "no such file", "tool")


def fails_for(*ids: str):  # type: ignore[no-untyped-def]
    return lambda id: fails(id) if id in ids else succeeds(id)


@requirement("workflow:scheduler:dataflow")
def test_a_task_starts_when_its_own_inputs_are_there_and_not_when_a_layer_is() -> None:
    run = Simulation([task("slow"), task("fast"), task("after_fast", needs=["fast"])])
    assert run.start() == ["slow", "fast"]

    run.record(succeeds("fast"))

    assert run.start() == ["slow", "after_fast"]


def test_what_arguments_refer_to_is_an_input() -> None:
    run = Simulation([task("write", arguments={"text": "${read.of}"}), task("read")])

    assert run.start() == ["read"]


@requirement("workflow:scheduler:dataflow")
def test_a_failure_skips_what_needs_it_and_nothing_else() -> None:
    tasks = [
        task("a"),
        task("b", needs=["a"]),
        task("c", needs=["b"]),
        task("other"),
        task("end", after=["a"]),
    ]
    run = Simulation(tasks, decide="never")

    state = run.run(fails_for("a"))

    assert {id: one.status for id, one in state.tasks.items()} == {
        "a": "failed",
        "b": "skipped",
        "c": "skipped",
        "other": "succeeded",
        "end": "succeeded",
    }
    assert state.status == "partial"


def test_a_failure_is_put_to_the_agent_when_nothing_else_can_run() -> None:
    run = Simulation([task("a"), task("b", needs=["a"]), task("other")])

    state = run.run(fails_for("a"))

    assert (state.status, state.paused_for, state.paused_about) == ("paused", "error", ("a",))
    assert run.status("b") == "pending"
    assert run.status("other") == "succeeded"


def test_continuing_after_a_failure_accepts_it() -> None:
    run = Simulation([task("a"), task("b", needs=["a"])])
    run.run(fails_for("a"))

    run.send("continue")
    run.run()

    assert run.status("b") == "skipped"
    assert run.state.status == "failed"


def test_new_arguments_try_a_failed_task_again() -> None:
    run = Simulation([task("a", arguments={"path": "x"}), task("b", needs=["a"])])
    run.run(fails_for("a"))

    run.send("modify_args", task="a", arguments={"path": "y"})
    run.run()

    assert run.state.status == "succeeded"
    assert run.state.tasks["a"].task.arguments == {"path": "y"}


def test_a_condition_that_does_not_hold_skips_the_task_and_what_needs_it() -> None:
    tasks = [
        task("a"),
        task("b", when='${a.of} == "x"'),
        task("c", needs=["b"]),
        task("d", when="${a.of}"),
    ]
    run = Simulation(tasks)

    run.run()

    assert [run.status(id) for id in "abcd"] == ["succeeded", "skipped", "skipped", "succeeded"]
    assert run.state.status == "succeeded"


def test_the_limit_of_a_run_holds() -> None:
    run = Simulation([task(f"t{number}") for number in range(20)], parallel=3)

    run.run()

    assert run.most_open == 3
    assert run.state.status == "succeeded"


@requirement("workflow:scheduler:per-server")
def test_the_limit_of_each_server_holds_and_other_servers_go_on() -> None:
    tasks = [{"id": f"{name}{n}", "tool": f"{name}:x"} for name in ("a", "b") for n in range(4)]
    tasks.append({"id": "each", "tool": "a:x", "for_each": [1, 2, 3, 4]})  # type: ignore[dict-item]
    run = Simulation(tasks, per_server=2, parallel=8)  # type: ignore[arg-type]

    assert run.start() == ["a0", "a1", "b0", "b1"]
    while run.open:
        run.record(succeeds(run.open[0]))
        run.start()
        servers = [run.state.tasks[id].task.server for id in run.open]
        assert max((servers.count(name) for name in servers), default=0) <= 2
    run.settle()
    assert run.state.status == "succeeded"


def test_a_list_is_done_item_by_item_within_its_own_limit_and_its_output_is_in_order() -> None:
    items = {"items": list(range(20)), "parallel": 4}
    run = Simulation([task("each", for_each=items), task("end", needs=["each"])], parallel=10)

    state = run.run(seed=5)

    assert run.most_open == 4
    assert state.tasks["each"].output == [{"of": f"each[{index}]"} for index in range(20)]
    assert run.status("end") == "succeeded"


def test_an_empty_list_succeeds_with_an_empty_output() -> None:
    run = Simulation([task("each", for_each=[]), task("end", needs=["each"])])

    run.run()

    assert run.state.tasks["each"].output == []
    assert run.state.status == "succeeded"


def test_a_failed_item_fails_its_list_after_the_others_and_a_reset_repeats_only_it() -> None:
    run = Simulation([task("each", for_each=[1, 2, 3])])
    run.run(fails_for("each[1]"))
    assert run.state.paused_about == ("each",)
    assert run.status("each[2]") == "succeeded"

    run.send("modify_args", task="each", arguments={})
    started_again = run.start()
    run.run()

    assert started_again == ["each[1]"]
    assert run.state.status == "succeeded"


@pytest.mark.parametrize(("mode", "pauses"), [("each_layer", 2), ("each_task", 3), ("never", 0)])
def test_decision_points_come_where_the_mode_says(mode: str, pauses: int) -> None:
    run = Simulation(
        [task("a"), task("b"), task("c", needs=["a"]), task("d", needs=["c"])], decide=mode, parallel=1
    )
    count = 0
    while not run.run().has_ended:
        count += 1
        run.send("continue")

    assert count == pauses
    assert run.state.status == "succeeded"


def test_after_each_layer_nothing_of_the_next_one_starts() -> None:
    run = Simulation([task("slow"), task("fast"), task("next", needs=["fast"])], decide="each_layer")
    run.start()
    run.record(succeeds("fast"))

    assert run.start() == ["slow"]


def test_a_paused_run_starts_nothing_and_its_open_calls_end() -> None:
    run = Simulation([task("a"), task("b", needs=["a"])])
    run.start()
    run.send("pause")
    run.record(succeeds("a"))

    assert run.start() == []

    run.send("continue")
    assert run.start() == ["b"]


def test_a_resumed_run_repeats_reads_and_puts_writes_in_doubt() -> None:
    run = Simulation([task("read"), task("write"), task("done"), task("later", needs=["write"])])
    run.start()
    run.record(succeeds("done"))
    run.state = reduced(
        [
            events.TaskStarted(event.task, event.attempt, "write", {})
            if isinstance(event, events.TaskStarted) and event.task == "write"
            else event
            for event in run.log
        ]
    )

    run.record(events.RunResumed())

    assert run.start() == ["read"]
    assert run.status("write") == "in_doubt"
    assert run.status("done") == "succeeded"
    run.run()
    assert (run.state.paused_for, run.state.paused_about) == ("in_doubt", ("write",))


def random_tasks(rng: Random, count: int) -> list[JsonObject]:
    tasks = []
    for number in range(count):
        earlier = [f"t{rng.randrange(number)}" for _ in range(rng.randrange(4))] if number else []
        after = [f"t{rng.randrange(number)}"] if number and rng.random() < 0.2 else []
        fields: dict[str, object] = {"needs": earlier, "after": after}
        if rng.random() < 0.1:
            fields["for_each"] = list(range(rng.randrange(4)))
        if earlier and rng.random() < 0.2:
            fields["when"] = f'${{{earlier[0]}.of}} == "{earlier[0]}"'
        tasks.append(task(f"t{number}", **fields))
    rng.shuffle(tasks)
    return tasks


@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_graph_order_holds_and_every_task_ends_once(seed: int) -> None:
    rng = Random(seed)
    mode = rng.choice(["never", "on_error", "each_layer", "each_task"])
    run = Simulation(random_tasks(rng, rng.randrange(1, 40)), decide=mode, parallel=rng.randrange(1, 9))

    def outcome(id: str) -> events.RunEvent:
        return fails(id) if rng.random() < 0.15 else succeeds(id)

    while not run.run(outcome, seed).has_ended:
        run.send("continue")

    ended: list[str] = []
    for event in run.log:
        match event:
            case events.TaskStarted(id):
                sources = run.state.tasks[id].task.inputs()
                assert all(run.status(source) == "succeeded" for source in sources)
                assert set(run.state.graph.sources.get(id, ())) <= set(ended)
            case events.TaskSucceeded(id) | events.TaskFailed(id) | events.TaskSkipped(id):
                ended.append(id)
    assert sorted(ended) == sorted(run.state.tasks)
    assert all(one.status in ENDED for one in run.state.tasks.values())
    assert reduced(run.log) == run.state


@pytest.mark.parametrize("shape", ["chain", "fan", "diamond"])
def test_large_graphs_run_to_their_end(shape: str) -> None:
    tasks = {
        "chain": [task("t0"), *(task(f"t{n}", needs=[f"t{n - 1}"]) for n in range(1, 1_000))],
        "fan": [task("a"), *(task(f"t{n}", needs=["a"]) for n in range(500))],
        "diamond": [
            task("a"),
            *(task(f"t{n}", needs=["a"]) for n in range(200)),
            task("z", needs=[f"t{n}" for n in range(200)]),
        ],
    }[shape]

    assert Simulation(tasks).run().status == "succeeded"
