"""Resources and prompts of upstream servers reach clients, beside our own, in both protocol eras."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from tests.requirements import requirement
from tests.server.running import MODES
from tests.upstreams.servers import LIBRARY, entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.server.gateway_offers import GatewayOffers
from recollect.server.gateway_tools import GatewayTools
from recollect.server.memory_tools import MemoryTools
from recollect.server.protocol import make_server
from recollect.tools.caller import Caller
from recollect.tools.offers import NoOffers

pytestmark = pytest.mark.anyio

Connect = Callable[[str], AbstractAsyncContextManager[Client]]


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    """Two servers that have a resource of the same address."""
    gateway = Gateway(tmp_path / "data", {}, utc_now)
    for name in ("east", "west"):
        gateway.add(name, entry(LIBRARY, name))
        gateway.refresh(name)
    return gateway


@pytest.fixture
def connect(gateway: Gateway, project: Recollect, folder: Path) -> Connect:
    @asynccontextmanager
    async def client(version: str) -> AsyncIterator[Client]:
        worker = ProjectWorker(lambda: project)
        tools = GatewayTools(gateway, folder, Exposure(), worker)
        async with anyio.create_task_group() as tasks:
            await tools.start(tasks)
            server = make_server(worker, tools, GatewayOffers(tools))
            async with Client(server, mode=MODES[version]) as connected:
                yield connected
            await tools.stop()
            tasks.cancel_scope.cancel()

    return client


def text_of(result: types.ReadResourceResult) -> str:
    [content] = result.contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


@requirement("gateway:offers:pass-through")
async def test_resources_are_listed_and_read_and_those_of_one_address_stay_apart(
    connect: Connect, version: str
) -> None:
    async with connect(version) as client:
        addresses = [str(resource.uri) for resource in (await client.list_resources()).resources]
        only = await client.read_resource("east://only")
        east = await client.read_resource("east+shelf://list")
        west = await client.read_resource("west+shelf://list")
        with pytest.raises(MCPError, match="no server lists it"):
            await client.read_resource("shelf://list")

    assert addresses[0] == "memory://index"
    assert sorted(addresses[1:]) == [
        "east+shelf://list",
        "east://only",
        "west+shelf://list",
        "west://only",
    ]
    assert (text_of(only), text_of(east), text_of(west)) == (
        "only in east",
        "books of east",
        "books of west",
    )


@requirement("gateway:offers:pass-through")
async def test_a_template_leads_to_its_server(connect: Connect, version: str) -> None:
    async with connect(version) as client:
        templates = {
            template.uri_template
            for template in (await client.list_resource_templates()).resource_templates
        }
        book = await client.read_resource("west://books/dune")

    assert {"east://books/{title}", "west://books/{title}", "memory://{id}"} <= templates
    assert text_of(book) == "dune of west"


@requirement("gateway:offers:pass-through")
async def test_prompts_are_listed_with_their_server_and_completed(
    connect: Connect, version: str
) -> None:
    reference = types.PromptReference(name="east__review")
    async with connect(version) as client:
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        review = await client.get_prompt("east__review", {"title": "Dune"})
        completed = await client.complete(reference, {"name": "title", "value": "D"})
        own = await client.get_prompt("save_memory", {"what": "x"})

    assert prompts == ["save_memory", "resume", "east__review", "west__review"]
    [message] = review.messages
    assert isinstance(message.content, types.TextContent)
    assert message.content.text == "Review Dune of east."
    assert completed.completion.values == ["Dine", "Duse"]
    assert own.messages


async def test_what_nobody_offers_is_refused_with_a_reason(connect: Connect, version: str) -> None:
    async with connect(version) as client:
        with pytest.raises(MCPError, match="no server lists it"):
            await client.read_resource("file:///etc/passwd")
        with pytest.raises(MCPError, match="unknown prompt 'review'"):
            await client.get_prompt("review", {})
        unknown = await client.complete(
            types.PromptReference(name="review"), {"name": "title", "value": "D"}
        )

    assert unknown.completion.values == []


async def test_a_prompt_is_found_without_listing_the_prompts(project: Recollect) -> None:
    worker, listed = ProjectWorker(lambda: project), list[str]()

    class Offers(NoOffers):
        async def prompts(self) -> list[types.Prompt]:
            listed.append("prompts")
            return [types.Prompt(name="review")]

        async def get_prompt(self, _: str, __: object, ___: Caller) -> types.GetPromptResult:
            return types.GetPromptResult(description="theirs", messages=[])

    async with Client(make_server(worker, MemoryTools(worker), Offers()), mode="legacy") as client:
        assert (await client.get_prompt("review", {})).description == "theirs"
        assert (await client.get_prompt("save_memory", {})).messages

    assert listed == []
