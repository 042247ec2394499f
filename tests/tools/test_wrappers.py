"""Wrappers: limit, filter, rename and approve any provider's tools, alone and together."""

from collections.abc import Callable

import anyio
import mcp_types as types
import pytest
from tests.requirements import requirement
from tests.tools.some_tools import CALLER, SomeTools, text_of

from recollect.errors import NotFoundError
from recollect.tools.provider import Arguments, ToolProvider
from recollect.tools.wrappers import Approved, Filtered, Prefixed, TimeLimit

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def reads(tool: types.Tool) -> bool:
    return tool.annotations is not None and bool(tool.annotations.read_only_hint)


async def only_reads(tool: types.Tool, arguments: Arguments) -> bool:
    return reads(tool)


WRAPPERS: dict[str, Callable[[ToolProvider], ToolProvider]] = {
    "limit": lambda inner: TimeLimit(inner, 20),
    "filter": lambda inner: Filtered(inner, lambda tool: tool.name != "shout"),
    "prefix": lambda inner: Prefixed(inner, ""),
    "approve": lambda inner: Approved(inner, only_reads),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
async def test_a_wrapper_passes_on_what_it_does_not_change(
    wrap: Callable[[ToolProvider], ToolProvider],
) -> None:
    inner = SomeTools()
    tools = wrap(inner)

    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
    listed = [tool.name for tool in await tools.list_tools()]
    echoed = await tools.call_tool("echo", {"text": "x"}, CALLER)
    with pytest.raises(NotFoundError, match="unknown tool 'x'"):
        await tools.call_tool("x", {}, CALLER)
    await tools.stop()

    assert (listed, text_of(echoed)) == (list(inner.names), "echo: x")
    assert inner.log == ["start", "stop"]


@requirement("server:tools:time-limit")
async def test_a_call_that_takes_too_long_is_cancelled_and_says_so() -> None:
    inner = SomeTools()

    result = await TimeLimit(inner, 0.01).call_tool("wait", {}, CALLER)

    assert result.is_error
    assert text_of(result) == "wait was cancelled because it took longer than 0.01 s."
    assert inner.log == ["cancelled"]


async def test_a_filtered_tool_can_be_neither_seen_nor_called() -> None:
    tools = Filtered(SomeTools(), reads)

    assert "release" not in [tool.name for tool in await tools.list_tools()]
    with pytest.raises(NotFoundError, match="unknown tool 'release'; choose one of echo"):
        await tools.call_tool("release", {}, CALLER)


async def test_a_prefix_goes_before_every_name_and_is_needed_to_call() -> None:
    tools = Prefixed(SomeTools("echo"), "git.")

    assert [tool.name for tool in await tools.list_tools()] == ["git.echo"]
    assert text_of(await tools.call_tool("git.echo", {"text": "x"}, CALLER)) == "echo: x"
    with pytest.raises(NotFoundError, match=r"unknown tool 'echo'; choose one of git\.echo"):
        await tools.call_tool("echo", {}, CALLER)


async def test_a_tool_that_is_not_approved_does_not_run() -> None:
    inner = SomeTools()
    asked: list[tuple[str, Arguments]] = []

    async def approve(tool: types.Tool, arguments: Arguments) -> bool:
        asked.append((tool.name, arguments))
        return reads(tool)

    refused = await Approved(inner, approve).call_tool("release", {"now": True}, CALLER)

    assert (refused.is_error, inner.released.is_set()) == (True, False)
    assert text_of(refused) == "release was not approved; nothing was run."
    assert asked == [("release", {"now": True})]


async def test_wrappers_compose_and_an_approval_that_waits_counts_against_no_limit_inside_it() -> None:
    inner = SomeTools()
    person = anyio.Event()

    async def approve(tool: types.Tool, arguments: Arguments) -> bool:
        person.set()
        await anyio.lowlevel.checkpoint()
        return True

    tools = Prefixed(Filtered(Approved(TimeLimit(inner, 0), approve), reads), "here.")

    waited = await tools.call_tool("here.wait", {}, CALLER)

    assert person.is_set()
    assert text_of(waited) == "wait was cancelled because it took longer than 0 s."
    assert [tool.name for tool in await tools.list_tools()] == [
        "here.echo",
        "here.wait",
        "here.cancelled",
    ]
