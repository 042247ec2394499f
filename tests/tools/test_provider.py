"""Several providers as one."""

import anyio
import pytest
from anyio.abc import TaskGroup
from tests.tools.some_tools import CALLER, SomeTools, text_of

from recollect.errors import NotFoundError
from recollect.tools.provider import Providers

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Broken(SomeTools):
    async def start(self, _: TaskGroup) -> None:
        raise OSError("no such server")


async def test_the_tools_of_all_are_listed_and_each_call_goes_to_its_provider() -> None:
    providers = Providers(SomeTools("echo"), SomeTools("shout"))

    assert [tool.name for tool in await providers.list_tools()] == ["echo", "shout"]
    assert text_of(await providers.call_tool("shout", {"text": "x"}, CALLER)) == "shout: x"


async def test_where_two_have_a_tool_of_one_name_the_first_provider_runs_it() -> None:
    first, second = SomeTools("release"), SomeTools("release")
    providers = Providers(first, second)

    await providers.call_tool("release", {}, CALLER)

    assert [tool.name for tool in await providers.list_tools()] == ["release"]
    assert (first.released.is_set(), second.released.is_set()) == (True, False)


async def test_an_unknown_tool_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(NotFoundError, match="unknown tool 'x'; choose one of echo, shout"):
        await Providers(SomeTools("echo"), SomeTools("shout")).call_tool("x", {}, CALLER)


async def test_providers_stop_in_the_reverse_order_of_their_start() -> None:
    first, second = SomeTools("echo"), SomeTools("shout")
    log: list[str] = []
    first.log = second.log = log
    providers = Providers(first, second)

    async with anyio.create_task_group() as tasks:
        await providers.start(tasks)
        await providers.stop()

    assert log == ["start", "start", "stop", "stop"]


async def test_if_one_cannot_start_those_before_it_are_stopped() -> None:
    first, last = SomeTools("echo"), SomeTools("shout")

    async with anyio.create_task_group() as tasks:
        with pytest.raises(OSError, match="no such server"):
            await Providers(first, Broken(), last).start(tasks)

    assert (first.log, last.log) == (["start", "stop"], [])
