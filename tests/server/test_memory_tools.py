"""The tools as a client sees them, in both protocol eras."""

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.requirements import requirement
from tests.samples import CONTENT
from tests.server.running import structured, text_of

from recollect.records.categories import Category
from recollect.server import surface
from recollect.server.memory_tools import TOOLS
from recollect.text.token_estimate import CHARACTERS_PER_TOKEN

pytestmark = pytest.mark.anyio
Connect = Callable[..., Client]

SAVE: dict[str, Any] = {
    "category": "preference",
    "title": "Indent with tabs",
    "tags": ["style"],
    "content": CONTENT[Category.PREFERENCE],
}
CALLS: dict[str, dict[str, Any]] = {
    "memory_search": {"query": "login"},
    "memory_context": {"mode": "deep", "text": "login"},
    "memory_get": {"id": "sign-a-jwt-at-login"},
    "memory_save": SAVE,
    "memory_update": {"id": "sign-a-jwt-at-login", "tags": ["auth", "jwt"]},
    "memory_link": {
        "id": "sign-a-jwt-at-login",
        "type": "supports",
        "target": "uploads-may-not-exceed-5-mb",
    },
    "memory_why": {"id": "sign-a-jwt-at-login"},
    "working_memory": {},
    "memory_health": {},
}


@requirement("server:tools:under-3500-tokens")
async def test_all_memory_tools_together_cost_less_than_3500_tokens(
    connect: Connect, version: str
) -> None:
    async with connect(version) as client:
        tools = (await client.list_tools()).tools

    schemas = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    on_the_wire = json.dumps(schemas, separators=(",", ":"))
    assert len(on_the_wire) / CHARACTERS_PER_TOKEN < 3500


@requirement("server:tools:loaded-first")
async def test_three_tools_ask_to_be_loaded_from_the_start(connect: Connect, version: str) -> None:
    async with connect(version) as client:
        tools = (await client.list_tools()).tools

    asking = [tool.name for tool in tools if (tool.meta or {}).get("anthropic/alwaysLoad") is True]
    assert asking == ["memory_search", "memory_context", "memory_save"]


def test_the_instructions_say_in_two_sentences_when_to_use_which_tool() -> None:
    sentences = re.findall(r"[^.]+\.", surface.INSTRUCTIONS)

    assert len(sentences) == 2
    assert all(name in sentences[0] for name in surface.LOADED_FIRST)


@requirement("server:tools:cost-shown")
def test_the_cost_that_status_shows_is_that_of_the_tools() -> None:
    shown = ("name", "description", "inputSchema")
    described = [tool.described().model_dump(by_alias=True, mode="json") for tool in TOOLS]

    def cost(names: Collection[str]) -> int:
        rows = [{key: tool[key] for key in shown} for tool in described if tool["name"] in names]
        text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
        return round((len(text) + len(surface.INSTRUCTIONS)) / CHARACTERS_PER_TOKEN)

    assert len(TOOLS) == surface.TOOL_COUNT
    assert abs(cost(surface.LOADED_FIRST) - surface.LOADED_FIRST_TOKENS) <= 50
    assert abs(cost([tool.name for tool in TOOLS]) - surface.ALL_TOKENS) <= 50


@requirement("server:tools:each-can-be-called")
async def test_each_tool_can_be_called_and_answers_as_its_schema_says(
    connect: Connect, version: str, shop: Path
) -> None:
    assert list(CALLS) == [tool.name for tool in TOOLS]
    async with connect(version) as client:
        await client.list_tools()  # the client checks answers against the schemas it has seen
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert structured(result)
            assert text_of(result)


@pytest.mark.parametrize(
    ("name", "reads", "destroys", "repeatable"),
    [
        ("memory_search", True, False, True),
        ("memory_context", True, False, True),
        ("memory_get", True, False, True),
        ("memory_why", True, False, True),
        ("working_memory", True, False, True),
        ("memory_health", True, False, True),
        ("memory_save", False, False, False),
        ("memory_update", False, True, True),
        ("memory_link", False, False, True),
    ],
)
@requirement("server:tools:true-annotations")
async def test_annotations_say_what_a_tool_does(
    connect: Connect, name: str, reads: bool, destroys: bool, repeatable: bool
) -> None:
    async with connect() as client:
        [tool] = [tool for tool in (await client.list_tools()).tools if tool.name == name]

    hints = tool.annotations
    assert hints is not None
    assert (hints.read_only_hint, hints.destructive_hint) == (reads, destroys)
    assert (hints.idempotent_hint, hints.open_world_hint) == (repeatable, False)


@requirement("server:tools:true-annotations")
async def test_tools_that_only_read_change_no_memory_and_repeating_the_others_changes_nothing_more(
    connect: Connect, shop: Path
) -> None:
    def memories() -> dict[str, bytes]:
        root = shop / ".claude" / "memory"
        return {str(path): path.read_bytes() for path in root.glob("*/*.json")}

    async with connect() as client:
        for tool in TOOLS:
            before = memories()
            structured(await client.call_tool(tool.name, CALLS[tool.name]))
            once = memories()
            assert (once == before) == tool.hints.reads
            structured(await client.call_tool(tool.name, CALLS[tool.name]))
            assert memories() == once


async def test_wrong_arguments_are_an_error_that_says_what_was_expected(
    connect: Connect, version: str
) -> None:
    async with connect(version) as client:
        wrong = await client.call_tool("memory_save", {"category": "idea", "title": "x"})
        none = await client.call_tool("memory_search", {})
        more = await client.call_tool("memory_get", {"cursor": "made-up"})

    assert wrong.is_error
    assert none.is_error
    assert more.is_error
    assert "category: must be decision | constraint | preference" in text_of(wrong)
    assert "tags: is missing: a list of keywords to find it by" in text_of(wrong)
    assert text_of(none) == "memory_search needs a query (what to look for), or a cursor."
    assert "is not a cursor of memory_get" in text_of(more)


async def test_a_domain_error_is_a_tool_error_with_its_message(
    connect: Connect, version: str, shop: Path
) -> None:
    async with connect(version) as client:
        result = await client.call_tool("memory_get", {"id": "sign-a-jwt-at-logim"})

    assert result.is_error
    expected = "there is no memory 'sign-a-jwt-at-logim'; did you mean sign-a-jwt-at-login?"
    assert text_of(result) == expected


async def test_an_unknown_tool_is_a_protocol_error_that_names_the_known_tools(
    connect: Connect, version: str
) -> None:
    async with connect(version) as client:
        with pytest.raises(MCPError, match="unknown tool 'memory_forget'; choose one of memory_search"):
            await client.call_tool("memory_forget", {})


async def test_long_work_reports_progress_to_a_client_that_asks_for_it(
    connect: Connect, shop: Path
) -> None:
    told: list[tuple[float, float | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async with connect(report_every=0) as client:
        await client.call_tool("memory_health", {}, progress_callback=heard)

    assert told == [(1, 3), (2, 3), (3, 3)]


async def test_the_index_and_each_memory_can_be_read_as_resources(
    connect: Connect, version: str, shop: Path
) -> None:
    async with connect(version) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        [index] = (await client.read_resource("memory://index")).contents
        [memory] = (await client.read_resource("memory://sign-a-jwt-at-login")).contents
        with pytest.raises(MCPError, match="there is no memory 'nothing'"):
            await client.read_resource("memory://nothing")
        with pytest.raises(MCPError, match="begin with 'memory://'"):
            await client.read_resource("file:///etc/passwd")

    assert [one.uri for one in listed][:2] == ["memory://index", "memory://sign-a-jwt-at-login"]
    assert [one.uri_template for one in templates] == ["memory://{id}"]
    assert "- [DECISION] Sign a JWT at login -> " in index.text  # type: ignore[union-attr]
    found = json.loads(memory.text)  # type: ignore[union-attr]
    assert found["title"] == "Sign a JWT at login"


async def test_many_resources_come_a_page_at_a_time(connect: Connect, keep: Callable[..., str]) -> None:
    for number in range(101):
        keep(f"Decision number {number}")
    async with connect() as client:
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        with pytest.raises(MCPError, match="is not a cursor of resources/list"):
            await client.list_resources(cursor="ü")

    assert len(first.resources) == 101  # a page, and the index before it
    assert len(rest.resources) == 1
    assert rest.next_cursor is None


async def test_prompts_say_how_to_save_and_where_work_was_left(
    connect: Connect, version: str, keep: Callable[..., str]
) -> None:
    keep("Moved the parser", Category.SESSION_SUMMARY)
    async with connect(version) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        save = await client.get_prompt("save_memory", {"what": "we use \x1b[31mtabs"})
        resume = await client.get_prompt("resume")
        with pytest.raises(MCPError, match="unknown prompt 'x'; choose one of save_memory, resume"):
            await client.get_prompt("x")

    assert names == ["save_memory", "resume"]
    assert "Save this as a memory: we use [31mtabs\n" in save.messages[0].content.text  # type: ignore[union-attr]
    assert "next actions: Delete the old parser." in resume.messages[0].content.text  # type: ignore[union-attr]
