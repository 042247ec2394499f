"""A run in the terminal."""

import io

from rich.console import Console
from tests.requirements import requirement

from recollect.cli.run_picture import picture
from recollect.records.json_format import Json
from recollect.workflow import events
from recollect.workflow.reducer import reduced


@requirement("workflow:speculation:measured")
def test_tasks_whose_calls_ran_ahead_are_marked() -> None:
    tasks: list[Json] = [{"id": "ahead", "tool": "s:read"}, {"id": "usual", "tool": "s:read"}]
    happened: list[events.RunEvent] = [events.RunStarted({"tasks": tasks}, False)]
    for id, source in (("ahead", "speculation"), ("usual", "call")):
        happened += [events.TaskReady(id), events.TaskStarted(id, 1, "read", {})]
        happened.append(events.TaskSucceeded(id, 1, 3.0, source))  # type: ignore[arg-type]
    out = io.StringIO()
    Console(file=out, width=100).print(picture(reduced(happened)))

    ahead, usual = out.getvalue().splitlines()
    assert ahead.rstrip().endswith("3 ms, ran ahead")
    assert usual.rstrip().endswith("3 ms")
