"""fastmcp's client in front of `recollect serve`: every tool behaves as when it calls the server directly."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from fastmcp.client import Client
from fastmcp.client.transports import StdioTransport
from tests.e2e.published_servers import needs_npm
from tests.e2e.third_party import EVERYTHING, FASTMCP_TRIALS, NEWER, UPSTREAM_ERAS, User, user_in
from tests.requirements import requirement
from tests.server.running import MODES, OLD, SERVE, WAIT, until

pytestmark = [pytest.mark.anyio, needs_npm]

ADDED = "demo://resource/session/a.gz"  # by `gzip-file-as-resource`
SESSIONS = list(dict.fromkeys((trial.client_era, trial.exposure) for trial in FASTMCP_TRIALS))
CALLS = {"everything": EVERYTHING, "newer": NEWER}
VARIES = re.compile(
    r"\d+:\d+:\d+ [AP]M|\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@dataclass(slots=True)
class Person:
    """What a client hears while its calls are open; it answers every question the same way."""

    heard: list[object] = field(default_factory=list)
    logs: int = 0

    async def elicit(self, message: str, kind: object, params: object, context: object) -> Any:
        self.heard.append(("elicitation", message))
        match params:
            case types.ElicitRequestFormParams(requested_schema={"properties": {"sure": _}}):
                return types.ElicitResult(action="accept", content={"sure": True})
        return types.ElicitResult(action="decline")

    async def sample(
        self, messages: list[types.SamplingMessage], params: object, context: object
    ) -> str:
        self.heard.append(("sampling", [message.model_dump_json() for message in messages]))
        return "a word"

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.heard.append(("progress", progress, total, message))

    async def log(self, message: object) -> None:
        self.logs += 1


@asynccontextmanager
async def connected(
    command: list[str], env: dict[str, str], folder: Path, era: str, person: Person
) -> AsyncIterator[Client[StdioTransport]]:
    transport = StdioTransport(command[0], command[1:], env, str(folder), keep_alive=False)
    async with Client(
        transport,
        mode=MODES[era],
        timeout=WAIT,
        roots=["file:///work"],
        elicitation_handler=person.elicit,
        sampling_handler=person.sample,
        progress_handler=person.progress,
        log_handler=person.log,
    ) as client:
        assert client.protocol_version == era
        yield client


def direct(user: User, upstream: str, person: Person) -> Any:
    """A client of the server itself, in the server's era."""
    server = user.servers[upstream]
    command, env = [server["command"], *server.get("args", [])], user.env | server.get("env", {})
    return connected(command, env, user.folder, UPSTREAM_ERAS[upstream], person)


async def outcomes(
    client: Client[Any], calls: dict[str, tuple[str, dict[str, Any]]], person: Person
) -> dict[str, object]:
    """What each call answers, and what the person was asked and shown meanwhile."""
    results: dict[str, object] = {}
    for tool, (name, arguments) in calls.items():
        person.heard.clear()
        for _ in range(2 if tool.startswith("toggle") else 1):  # on, and off again
            result = await client.call_tool_mcp(name, arguments)
        blocks = [
            VARIES.sub("varies", block.model_dump_json(exclude_none=True)) for block in result.content
        ]
        results[tool] = blocks, result.structured_content, result.is_error, list(person.heard)
    return results


async def offers(client: Client[Any], prefix: str = "") -> dict[str, object]:
    """What the everything server offers beside tools, with the resource that a tool has just added."""
    with anyio.fail_after(WAIT):
        while ADDED not in (addresses := [str(each.uri) for each in await client.list_resources()]):
            await anyio.sleep(0.05)
    templates = await client.list_resource_templates()
    prompts = await client.list_prompts()
    name = f"{prefix}args-prompt"
    arguments = {"city": "Berlin", "state": "BE"}
    reference = types.PromptReference(name=f"{prefix}completable-prompt")
    completed = await client.complete(reference, {"name": "department", "value": "E"})
    read = [
        *await client.read_resource("demo://resource/dynamic/text/1"),
        *await client.read_resource(ADDED),
    ]
    return {
        "resources": {each for each in addresses if each.startswith("demo://")},
        "templates": {each.uri_template for each in templates if each.uri_template.startswith("demo")},
        "prompts": {each.name.removeprefix(prefix) for each in prompts if each.name.startswith(prefix)},
        "prompt": (await client.get_prompt(name, arguments)).messages,
        "completion": completed.values,
        "read": [VARIES.sub("varies", each.model_dump_json(exclude_none=True)) for each in read],
    }


@dataclass(frozen=True, slots=True)
class Expected:
    """What the same client gets without Recollect."""

    outcomes: dict[str, dict[str, object]]
    offers: dict[str, object]


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return user_in(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
async def expected(user: User) -> Expected:
    results, person = {}, Person()
    for upstream, calls in CALLS.items():
        async with direct(user, upstream, person) as client:
            listed = {tool.name for tool in await client.list_tools()} - {"get-env", "wait"}
            assert listed == set(calls)
            named = {tool: (tool, arguments) for tool, arguments in calls.items()}
            results[upstream] = await outcomes(client, named, person)
            if upstream == "everything":
                others = await offers(client)
    assert person.logs
    return Expected(results, others)


def through(exposure: str, upstream: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The calls of a server's tools as a client of the gateway makes them."""
    if exposure == "proxy":
        return {tool: (f"{upstream}__{tool}", args) for tool, args in CALLS[upstream].items()}
    return {
        tool: ("call", {"tool": f"{upstream}:{tool}", "arguments": args})
        for tool, args in CALLS[upstream].items()
    }


async def give_up(client: Client[Any], exposure: str, mark: Path) -> None:
    """Start a call that never ends, and stop waiting for it once it has begun."""
    arguments = {"mark": str(mark)}
    name, sent = (
        ("newer__wait", arguments)
        if exposure == "proxy"
        else ("call", {"tool": "newer:wait", "arguments": arguments})
    )
    begun = anyio.Event()

    async def report(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def wait_for_ever() -> None:
        await client.call_tool_mcp(name, sent, progress_handler=report)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for_ever)
        with anyio.fail_after(WAIT):
            await begun.wait()
        tasks.cancel_scope.cancel()


@requirement("gateway:meta-tools:pass-through")
@requirement("gateway:offers:pass-through")
@pytest.mark.parametrize(("era", "exposure"), SESSIONS)
async def test_everything_behaves_as_when_called_directly(
    user: User, expected: Expected, tmp_path: Path, era: str, exposure: str
) -> None:
    """Results, questions, progress, logs, resources, prompts, completion and cancellation, in one session."""
    person, cancelled = Person(), tmp_path / "cancelled"
    async with connected(SERVE, user.serve_env(exposure), user.folder, era, person) as client:
        for upstream in CALLS:
            calls = through(exposure, upstream)

            assert await outcomes(client, calls, person) == expected.outcomes[upstream]

        assert await offers(client, "everything__") == expected.offers
        await give_up(client, exposure, cancelled)
        await anyio.to_thread.run_sync(until, cancelled)
        # In the newer protocol a client asks for logs request by request.
        if era == OLD and not person.logs:
            await hear_logs(client, exposure, person)


async def hear_logs(client: Client[Any], exposure: str, person: Person) -> None:
    """Have the server write lines until one comes: they pass while a call is open, one in five seconds."""
    calls = through(exposure, "everything")
    await client.call_tool_mcp(*calls["toggle-simulated-logging"])
    with anyio.fail_after(WAIT):
        while not person.logs:
            await client.call_tool_mcp(*calls["trigger-long-running-operation"])
    await client.call_tool_mcp(*calls["toggle-simulated-logging"])  # later sessions share the process
