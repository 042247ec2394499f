"""A rehearsal: a run that calls nothing. Tools answer as they did before, or with made-up values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.app.dispatch import Dispatcher
from recollect.app.run_store import RunStore
from recollect.gateway.arguments import argument_problems, example
from recollect.gateway.tool import UpstreamTool
from recollect.records.json_format import Json, JsonObject
from recollect.workflow import events
from recollect.workflow.calling import ApprovalQuestion, Consent, TaskOutput
from recollect.workflow.run_state import RunState
from recollect.workflow.schema_fields import Schema
from recollect.workflow.task import Task

_MOST_RUNS = 100  # that are searched for recorded results


@dataclass(frozen=True, slots=True)
class RehearsedCall:
    """A tool that answers without being called."""

    tool: UpstreamTool
    schema: Schema
    recordings: Mapping[str, Json]
    effect: events.CallEffect = "read"
    asks: str = ""

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:
        return argument_problems(self.tool.input_schema, arguments)

    async def call(self, arguments: JsonObject) -> TaskOutput:
        key = _key(self.tool.id, arguments)
        if key in self.recordings:
            return TaskOutput(self.recordings[key], source="recording")
        return TaskOutput(example(self.schema), source="schema")


@dataclass(frozen=True, slots=True)
class RehearsedCalls:
    """Every tool of the catalogue, with the results that runs of this project recorded."""

    dispatcher: Dispatcher
    recordings: Mapping[str, Json]

    async def prepare(self, task: Task) -> RehearsedCall:
        tool = await self.dispatcher.tool(task.tool)
        schema = (await self.dispatcher.outputs([tool])).get(tool.id, {"type": "object"})
        return RehearsedCall(tool, schema, self.recordings)


class NobodyApproves:
    """In a rehearsal nothing has to be approved."""

    async def consent(
        self,
        tool: str,  # noqa: ARG002
        effect: events.CallEffect,  # noqa: ARG002
        arguments: JsonObject,  # noqa: ARG002
    ) -> Consent:
        return Consent("rehearsal")

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:  # noqa: ARG002
        return True


def recordings(store: RunStore) -> dict[str, Json]:
    """What tools answered in the newest runs, by tool and arguments; the newest answer counts."""
    results: dict[str, Json] = {}
    for record in reversed(store.journal.runs(_MOST_RUNS)):
        called: dict[str, str] = {}
        tools: dict[str, str] = {}
        for entry in store.entries(record.id):
            match entry.event:
                case events.RunStarted(workflow, rehearsal=False):
                    tools |= _tools(workflow.get("tasks"))
                case events.RunStarted():
                    break
                case events.TasksAdded(tasks):
                    tools |= _tools(list(tasks))
                case events.TaskStarted(task, _, _, arguments):
                    called[task] = _key(tools.get(task.split("[")[0], ""), arguments)
                case events.TaskSucceeded(task, output, _, "call" | "speculation", _, stored_as) if (
                    task in called and not entry.redacted and (output is not None or not stored_as)
                ):
                    results[called[task]] = output
    return results


def _tools(tasks: Json) -> dict[str, str]:
    rows = tasks if isinstance(tasks, list) else []
    return {str(row["id"]): str(row["tool"]) for row in rows if isinstance(row, dict)}


def _key(tool: str, arguments: Mapping[str, Json]) -> str:
    return json.dumps([tool, dict(arguments)], sort_keys=True)
