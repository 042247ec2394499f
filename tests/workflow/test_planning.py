"""A request becomes tasks with references; the plan says why, how sure it is, and what it still needs."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.workflow.planning_tools import NUMBER, TEXT, edge, listing, obj, outputs, tool

from recollect.gateway.arguments import example
from recollect.gateway.discovery import Discovery, discover
from recollect.gateway.relevance import tool_index
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolEdge
from recollect.records.json_format import Json
from recollect.workflow.candidates import RequestStep, ToolCandidate, candidates
from recollect.workflow.document import workflow_document, workflow_of
from recollect.workflow.plan import GivesInput, NeededBy, OnTheWay, Plan
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.planning import plan, task_ids
from recollect.workflow.task import Task
from recollect.workflow.validation import problems

CLONE = tool("git_clone", {"url": TEXT}, about="Clone a git repository")
INSTALL = tool("npm_install", about="Install the packages of a project")
DEPLOY = tool("deploy", about="Deploy the project to production")
BLAME = tool("git_blame", {"file": TEXT}, about="Show who changed each line of a file", reads=True)
WEATHER = tool("weather", {"city": TEXT}, about="The weather forecast of a city", reads=True)
CATALOGUE = [CLONE, INSTALL, DEPLOY, BLAME, WEATHER]

SEARCH = tool(
    "search_issues", {"query": TEXT}, obj(issues=listing(obj(number=NUMBER, title=TEXT))), reads=True
)
CREATE = tool("create_issue", {"title": TEXT}, obj(issue=obj(number=NUMBER)))
CLOSE = tool("close_issue", {"issue_number": NUMBER}, obj(closed={"type": "boolean"}))


def request(intent: str, tools: list[UpstreamTool], **known: Any) -> PlanRequest:
    """What the application does: discovery for the request and for each step, over all tools."""
    index = tool_index(tools)

    def find(text: str) -> Discovery:
        return discover(text, index, stepwise=False)

    steps, options = candidates(intent, find)
    by_id = {each.id: each for each in tools}
    return PlanRequest(intent, options, steps, by_id, outputs(tools), **known)


def of_tools(*tools: UpstreamTool, **known: Any) -> PlanRequest:
    """Each tool fits a step of its own."""
    scores = [
        ToolCandidate(each, 1.0, tuple(float(other is each) for other in tools)) for each in tools
    ]
    steps = tuple(RequestStep(each.name) for each in tools)
    known.setdefault("catalogue", {each.id: each for each in tools})
    return PlanRequest("do it", scores, steps, outputs=outputs(tools), **known)


def tasks(made: Plan) -> dict[str, Task]:
    return {task.id: task for task in made.workflow.tasks}


@requirement("workflow:plan:unnamed-step")
@pytest.mark.parametrize(
    "intent",
    [
        "clone the repository and deploy it",
        "git_clone, then deploy",
        "Clone the git repository. Deploy it to production.",
        "clone the repo before deploying it",
        "deploy it after cloning the repository",
        "run git_clone followed by deploy",
        "git_clone -> deploy",
    ],
)
def test_a_request_that_names_the_ends_of_a_known_way_plans_all_of_it(intent: str) -> None:
    taught = [edge("git_clone", "npm_install"), edge("npm_install", "deploy")]
    made = plan(request(intent, CATALOGUE, edges=taught))

    assert [task.tool for task in made.workflow.tasks] == ["s:git_clone", "s:npm_install", "s:deploy"]
    assert tasks(made)["npm_install"].needs == ("git_clone",)
    assert tasks(made)["deploy"].needs == ("npm_install",)
    assert made.choices["npm_install"].reason == OnTheWay("s:git_clone", "s:deploy")
    assert [(each.task, each.name) for each in made.missing] == [("git_clone", "url")]


def test_without_the_graph_only_what_is_named_is_planned_in_the_order_of_the_request() -> None:
    made = plan(request("clone the repository and deploy it", CATALOGUE))

    assert list(tasks(made)) == ["git_clone", "deploy"]
    assert tasks(made)["deploy"].needs == ("git_clone",)


@pytest.mark.parametrize(
    ("relevance", "confidence", "planned"), [(0.8, 0.5, 2), (0.4, 0.5, 1), (0.4, 0.95, 2)]
)
def test_a_step_has_a_tool_that_is_relevant_to_the_request_or_surely_fits(
    relevance: float, confidence: float, planned: int
) -> None:
    scores = [ToolCandidate(CLONE, 1.0, (1.0, 0.0)), ToolCandidate(DEPLOY, relevance, (0.0, 1.0))]
    made = plan(PlanRequest("do it", scores, (RequestStep("clone"), RequestStep("ship", confidence))))

    assert len(made.workflow.tasks) == planned
    assert made.unanswered == (() if planned == 2 else ("ship",))


def test_of_tools_that_fit_a_step_alike_the_one_more_relevant_to_the_request_is_chosen() -> None:
    scores = [
        ToolCandidate(CLONE, 0.8, (1.0,)),
        ToolCandidate(DEPLOY, 0.9, (1.0,)),
        ToolCandidate(BLAME, 0.8, (1.0,)),
    ]
    made = plan(PlanRequest("do it", scores, (RequestStep("do it"),)))

    assert [task.tool for task in made.workflow.tasks] == ["s:deploy"]


def test_no_text_is_searched_twice() -> None:
    index, searched = tool_index(CATALOGUE), []

    def find(text: str) -> Discovery:
        searched.append(text)
        return discover(text, index, stepwise=False)

    candidates("clone the repository and deploy it. clone the repository", find)
    assert len(searched) == len(set(searched)) > 2


def test_a_tool_that_destroys_does_not_join_unnamed() -> None:
    wipe = tool("npm_install", destroys=True)
    taught = [edge("git_clone", "npm_install"), edge("npm_install", "deploy")]
    made = plan(request("clone the repository and deploy it", [CLONE, wipe, DEPLOY], edges=taught))

    assert "npm_install" not in tasks(made)


def test_a_request_for_one_thing_is_one_task_with_alternatives() -> None:
    scores = [
        ToolCandidate(SEARCH, 0.2),
        ToolCandidate(CLOSE, 0.9),
        ToolCandidate(CREATE, 0.6),
        ToolCandidate(BLAME, 0.5),
    ]
    made = plan(PlanRequest("close it", scores, arguments={"s:close_issue": {"issue_number": 4}}))

    assert list(tasks(made)) == ["close_issue"]
    assert tasks(made)["close_issue"].arguments == {"issue_number": 4}
    assert made.choices["close_issue"].alternatives == ("s:create_issue", "s:git_blame")
    assert made.status == "ready"


def test_a_request_that_no_tool_fits_is_an_empty_plan() -> None:
    made = plan(request("knit me a pullover", CATALOGUE))

    assert (made.workflow.tasks, made.status, made.confidence.value) == ((), "empty", 0.0)
    assert made.unanswered == ("knit me a pullover",)


@requirement("workflow:plan:references")
def test_an_output_that_feeds_an_input_becomes_a_reference() -> None:
    made = plan(of_tools(CLOSE, CREATE, arguments={"s:create_issue": {"title": "costs ${x}"}}))

    assert tasks(made)["close_issue"].arguments == {"issue_number": "${create_issue.issue.number}"}
    assert tasks(made)["create_issue"].arguments == {"title": "costs $${x}"}
    assert tasks(made)["close_issue"].needs == ()
    assert made.missing == ()


def test_a_tool_that_reads_joins_to_fill_an_input_and_one_that_writes_does_not() -> None:
    close_only = [ToolCandidate(CLOSE, 1.0), ToolCandidate(SEARCH, 0.6), ToolCandidate(CREATE, 0.9)]
    made = plan(
        PlanRequest("close the login issue", close_only, outputs=outputs([SEARCH, CREATE, CLOSE]))
    )

    assert list(tasks(made)) == ["search_issues", "close_issue"]
    assert made.choices["search_issues"].reason == GivesInput("s:close_issue", "issue_number")
    assert tasks(made)["close_issue"].arguments == {"issue_number": "${search_issues.issues[0].number}"}

    writes_only = plan(PlanRequest("close the login issue", [close_only[0], close_only[2]]))
    assert list(tasks(writes_only)) == ["close_issue"]
    assert writes_only.missing[0].sources == ("s:create_issue",)


def test_a_declared_need_joins_and_comes_first() -> None:
    login = tool("login")
    made = plan(of_tools(DEPLOY, catalogue={login.id: login}, needs={"s:deploy": ["s:login"]}))

    assert tasks(made)["deploy"].needs == ("login",)
    assert made.choices["login"].reason == NeededBy("s:deploy")


def test_two_tools_that_read_wait_for_each_other_only_for_data() -> None:
    habit = [edge("git_blame", "weather", 9)]
    made = plan(of_tools(BLAME, WEATHER, edges=habit))

    assert all(task.needs == () for task in made.workflow.tasks)


def test_what_the_context_knows_is_referred_to() -> None:
    made = plan(of_tools(WEATHER, BLAME, context={"city": "Bern", "file": 5}))

    assert tasks(made)["weather"].arguments == {"city": "${context.city}"}
    assert [(each.task, each.name) for each in made.missing] == [("git_blame", "file")]


@requirement("workflow:plan:missing")
def test_a_missing_argument_says_what_to_give() -> None:
    level = {"type": "string", "enum": ["low", "high"], "description": "How urgent it is."}
    made = plan(of_tools(tool("report", {"level": level})))

    [missing] = made.missing
    assert (missing.task, missing.name, missing.types) == ("report", "level", ("string",))
    assert (missing.about, missing.choices) == ("How urgent it is.", ("low", "high"))
    assert made.status == "needs_arguments"


@requirement("workflow:plan:cycles")
@pytest.mark.parametrize("length", range(2, 7))
def test_a_plan_over_a_cycle_of_tools_runs_and_says_where_it_was_broken(length: int) -> None:
    circle = [tool(f"t{number}") for number in range(length)]
    made = plan(of_tools(*circle, edges=[edge(f"t{n}", f"t{(n + 1) % length}") for n in range(length)]))

    assert [task.id for task in made.workflow.tasks] == [each.name for each in circle]
    pairs = [(each.dependency.source, each.dependency.target) for each in made.broken]
    assert (f"t{length - 1}", "t0") in pairs
    assert all(source > target for source, target in pairs)
    assert problems(made.workflow.tasks, {each.id: each for each in circle}, {}, {}) == []


@requirement("workflow:plan:cycles")
@pytest.mark.parametrize("length", range(2, 7))
def test_tools_that_feed_each_other_in_a_circle_ask_the_agent_for_one_value(length: int) -> None:
    things = [f"thing{chr(ord('a') + number)}" for number in range(length)]
    circle = [
        tool(f"make_{own}", {f"{before}_id": TEXT}, obj(**{f"{own}_id": TEXT}))
        for before, own in zip([things[-1], *things], things, strict=False)
    ]
    scores = [
        ToolCandidate(each, 1.0, tuple(float(other is each) for other in circle)) for each in circle
    ]
    made = plan(PlanRequest("go", scores, tuple(RequestStep(each.name) for each in circle)))

    assert len(made.workflow.tasks) == length
    assert [each.task for each in made.missing] == [f"make_{things[0]}"]
    assert [(each.dependency.source, each.dependency.target) for each in made.broken] == [
        (f"make_{things[-1]}", f"make_{things[0]}")
    ]


@requirement("workflow:plan:confidence")
def test_confidence_has_parts_that_follow_what_is_known() -> None:
    sure = plan(of_tools(CREATE, CLOSE, arguments={"s:create_issue": {"title": "a"}}))
    incomplete = plan(of_tools(CREATE, CLOSE))

    assert sure.confidence.arguments > incomplete.confidence.arguments > 0
    assert sure.confidence.value > incomplete.confidence.value
    parts = (sure.confidence.relevance, sure.confidence.dependencies, sure.confidence.arguments)
    assert min(parts) <= sure.confidence.value <= max(parts) <= 1


def test_task_ids_are_names_of_tasks_and_differ() -> None:
    tools = [
        UpstreamTool(server, name)
        for server in "ab"
        for name in ("read", "read!", "1", "item", "ä", "")
    ]
    ids = task_ids({each.id: each for each in tools}, {"read", "read_2"})

    assert len(set(ids.values())) == len(tools)
    assert not {"read", "read_2", "item"} & set(ids.values())
    made = workflow_of({"tasks": [{"id": id, "tool": "s:t"} for id in ids.values()]})
    assert len(made.tasks) == len(tools)


FIELDS = st.sampled_from(
    ["id", "user_id", "order_id", "user", "path", "a b", 'q"uote', "x.y", "total", "tags"]
)
TYPES = st.sampled_from(
    [TEXT, NUMBER, {"type": "boolean"}, listing(TEXT), listing(NUMBER), {}, obj(id=TEXT)]
)
SHAPES = st.dictionaries(FIELDS, TYPES, max_size=3)
TOOL_NAMES = ["create_user", "get_user", "list_orders", "close_order", "send", "tag_path"]


@st.composite
def requests(draw: st.DrawFn) -> PlanRequest:
    names = draw(st.lists(st.sampled_from(TOOL_NAMES), min_size=1, unique=True))
    tools = [
        tool(
            name,
            draw(SHAPES),
            draw(st.sampled_from([obj, lambda **inner: obj(items=listing(obj(**inner)))]))(
                **draw(SHAPES)
            )
            if draw(st.booleans())
            else None,
            reads=draw(st.sampled_from([True, False, None])),
        )
        for name in names
    ]
    ids = [each.id for each in tools]
    id = st.sampled_from(ids)
    count = draw(st.integers(1, 4))
    score = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])
    return PlanRequest(
        "do it",
        [ToolCandidate(each, draw(score), tuple(draw(score) for _ in range(count))) for each in tools],
        tuple(RequestStep(str(number), 0.8) for number in range(count)),
        {each.id: each for each in tools},
        outputs(tools),
        draw(st.lists(st.builds(ToolEdge, id, id, st.integers(1, 5)), max_size=12)),
        draw(st.dictionaries(id, st.lists(id, max_size=2), max_size=2)),
    )


def filled(made: Plan, tools: dict[str, UpstreamTool]) -> list[Task]:
    """The tasks with what the plan says it needs, and nothing else."""
    documents: Any = workflow_document(made.workflow)
    for missing in made.missing:
        task = next(each for each in documents["tasks"] if each["id"] == missing.task)
        schema = tools[task["tool"]].input_schema["properties"][missing.name]
        value: Json = example(schema)
        task["arguments"][missing.name] = value
    return list(workflow_of(documents).tasks) if documents["tasks"] else []


@requirement("workflow:plan:validates")
@given(requests())
def test_a_plan_can_run_once_what_it_needs_is_filled_in(asked_for: PlanRequest) -> None:
    made = plan(asked_for)
    tools = asked_for.tools()

    assert problems(filled(made, tools), tools, asked_for.outputs, {}) == []
    assert 0 <= made.confidence.value <= 1


@requirement("workflow:plan:shuffled")
@given(requests(), st.integers(0, 999))
def test_shuffling_what_a_plan_is_made_from_changes_nothing(asked_for: PlanRequest, seed: int) -> None:
    rng = Random(seed)

    def shuffled(values: Any) -> Any:
        return rng.sample(list(values), len(values))

    other = PlanRequest(
        asked_for.intent,
        shuffled(asked_for.candidates),
        asked_for.steps,
        dict(shuffled(asked_for.catalogue.items())),
        dict(shuffled(asked_for.outputs.items())),
        shuffled(asked_for.edges),
        {key: shuffled(needs) for key, needs in shuffled(asked_for.needs.items())},
    )
    assert plan(other) == plan(asked_for)
