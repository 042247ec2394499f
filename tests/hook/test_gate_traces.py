"""Prompts leave traces of how the gate judged them, written with the injection itself."""

import json
from collections.abc import Callable

from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect.app.project import Recollect


@requirement("learning:traces:gate")
def test_a_prompt_leaves_a_trace_of_how_the_gate_judged_it(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt("the oauth2 login is stuck in a redirect loop again", session="given")
    harness.prompt("rename this login variable in the hamburg office script", session="silent")

    traces = {trace.session: trace for trace in project.traces.latest(10, "gate")}

    given, silent = traces["given"], traces["silent"]
    assert (given.decision, given.candidate) == ("accepted", "mem:fix-the-oauth2-redirect-loop")
    assert given.threshold is not None
    assert given.score >= given.threshold > silent.score
    assert (silent.decision, silent.outcome) == ("below_threshold", None)
    assert given.signals.keys() == silent.signals.keys()
    assert given.params["about.bias"] < 0
    assert "hamburg" not in repr(traces)


@requirement("learning:traces:gate")
def test_the_outcome_of_a_prompt_is_whether_its_memories_were_used(
    project: Recollect, harness: Harness
) -> None:
    saved = keep(project)
    for session in ("used", "unused", "open"):
        harness.prompt("the oauth2 login is stuck in a redirect loop again", session=session)
    path = saved.stored.path
    harness.send("PostToolUse", "used", tool_name="Read", tool_input={"file_path": path})
    for _ in range(5):
        harness.send("PostToolUse", "unused", tool_name="Read", tool_input={"file_path": "README.md"})

    outcomes = {trace.session: trace.outcome for trace in project.traces.latest(10, "gate")}

    assert outcomes == {"used": "succeeded", "unused": "ignored", "open": None}


def test_prompts_leave_no_trace_where_the_setting_says_so(
    project: Recollect, harness: Harness, reopen: Callable[[], Recollect]
) -> None:
    keep(project)
    (project.root / "memory-config.json").write_text(json.dumps({"learning": {"traces": False}}))

    context = harness.prompt("the oauth2 login is stuck in a redirect loop again")

    assert "<memory-context" in context
    assert reopen().traces.latest(10) == []
