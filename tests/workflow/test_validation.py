"""A workflow is checked before anything runs, and every problem says what to do."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.gateway.tool import UpstreamTool
from recollect.records.json_format import JsonObject
from recollect.workflow.document import InvalidWorkflowError, workflow_document, workflow_of
from recollect.workflow.validation import problems

READ = UpstreamTool(
    "files",
    "read",
    input_schema={
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["path"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "additionalProperties": False,
    },
)
LIST = UpstreamTool("files", "list", input_schema={"type": "object", "properties": {}})
TOOLS = {tool.id: tool for tool in (READ, LIST)}
OUTPUTS: dict[str, Any] = {READ.id: READ.output_schema}


def read(id: str, path: object = "a.txt", **fields: object) -> JsonObject:
    document: dict[str, Any] = {"id": id, "tool": "files:read", "arguments": {"path": path}}
    return {**document, **fields}


def wrong(*tasks: JsonObject) -> list[str]:
    workflow = workflow_of({"tasks": list(tasks)})
    return [str(problem) for problem in problems(workflow.tasks, TOOLS, OUTPUTS, {"folder": "src"})]


def test_a_workflow_that_can_run_has_no_problems() -> None:
    each = read("each", "${context.folder}/${item}", for_each="${list.names}")

    assert wrong(each, read("list"), read("last", "${each[0].text}", after=["list"])) == []


@requirement("workflow:dag:validated")
@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([read("a"), read("a")], "a: two tasks have this id"),
        (
            [{"id": "a", "tool": "files:raed"}],
            "a.tool: unknown tool 'files:raed'; did you mean 'files:read'",
        ),
        ([{"id": "a", "tool": "list"}], "did you mean 'files:list'?"),
        (
            [read("list"), read("b", needs=["lst"])],
            "b.needs: there is no task 'lst'; did you mean 'list'?",
        ),
        ([read("a", "${b.text}")], "a: ${b.text}: there is no task 'b'"),
        ([read("a", "${a.text}")], "a cannot read its own output".removeprefix("a ")),
        ([read("a", "${context.branch}")], "the context has no 'branch'"),
        ([read("a", "${item}")], "the task has no for_each"),
        (
            [read("a"), read("b", "${a.txt}")],
            "b: ${a.txt}: the output of 'a' has no such field; it has text, names",
        ),
        ([read("a"), read("b", "${a.names}")], "b.arguments.path: must be string; ${a.names} is array"),
        ([{"id": "a", "tool": "files:read"}], "a.arguments: 'path' is missing"),
        ([read("a", 5)], "a.arguments: 'path' must be string, not 5"),
        (
            [{"id": "a", "tool": "files:read", "arguments": {"path": "x", "pth": 1}}],
            "unknown argument 'pth'",
        ),
        ([read("a", needs=["b"]), read("b", needs=["a"])], "the tasks wait for each other: "),
    ],
)
def test_each_problem_is_named_with_its_place_and_a_remedy(tasks: list[JsonObject], said: str) -> None:
    assert said in "; ".join(wrong(*tasks))


@pytest.mark.parametrize("length", range(2, 7))
def test_a_cycle_of_any_length_is_shown_whole_and_the_same_for_every_order(length: int) -> None:
    tasks = [read(f"t{n}", needs=[f"t{(n + 1) % length}"]) for n in range(length)]

    assert wrong(*tasks) == wrong(*reversed(tasks))
    assert all(f"t{n}" in wrong(*tasks)[0] for n in range(length))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "it must be an object"),
        ({}, "tasks: is missing"),
        ({"tasks": []}, "needs at least 1"),
        ({"tasks": [{"id": "a"}]}, "tasks[0].tool: is missing"),
        ({"tasks": [read("a b")]}, "is not a valid task name"),
        ({"tasks": [read("item")]}, "is not a valid task name"),
        (
            {"tasks": [read("a", argments={})]},
            "a: unknown field 'argments'; did you mean 'arguments'?",
        ),
        ({"tasks": [read("a")], "mode": 1}, "unknown field 'mode'"),
        ({"tasks": [read("a", timeout=-1)]}, "a.timeout: must be seconds"),
        ({"tasks": [read("a", retry={"attempts": 2, "wait": "x"})]}, "a.retry.wait: must be seconds"),
        ({"tasks": [read("a", when=5)]}, "a.when: a condition is text"),
        ({"tasks": [read("a", for_each="x")]}, "a.for_each: it must be a list"),
        ({"tasks": [read("a", "${x")], "decide": "sometimes"}, "decide: must be on_error |"),
    ],
)
def test_a_document_that_is_no_workflow_is_refused_with_the_place(document: Any, said: str) -> None:
    with pytest.raises(InvalidWorkflowError) as raised:
        workflow_of(document)

    assert said in str(raised.value)


def test_a_workflow_is_the_same_after_writing_and_reading() -> None:
    task = read(
        "a",
        "${context.folder}",
        needs=["b"],
        after=["b"],
        when=["${b.text}", "not ${b.names} == []"],
        for_each={"items": ["x"], "parallel": 2},
        retry={"attempts": 3, "wait": 0.5},
        timeout=5,
        approval="always",
    )
    workflow = workflow_of(
        {
            "intent": "try",
            "decide": "never",
            "parallel": 3,
            "context": {"folder": "x"},
            "tasks": [task, read("b")],
        }
    )

    assert workflow_of(workflow_document(workflow)) == workflow
