"""Hostile code: none gets out, none outlives its limits, and the others go on."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.sandbox.attempts import ESCAPES, EXHAUSTION, HARMLESS, cases

from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.bridge import AsyncFunctions
from recollect.sandbox.guest import Guest, GuestFailed, GuestFinished, GuestOutcome
from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.runner import Sandbox

pytestmark = pytest.mark.anyio
SECRET = "the-secret-of-the-host"
LIMITS = GuestLimits(
    seconds=0.15, memory=8_000_000, depth=60, calls=20, printed=10_000, result=1_000_000
)
_PATIENCE = 30.0  # seconds; a guest that a limit does not end fails its test instead of hanging it


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    sandbox = Sandbox(LIMITS)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def secret_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("host") / "secret.txt"
    file.write_text(SECRET)
    os.environ["RECOLLECT_SECRET"] = SECRET
    yield file
    del os.environ["RECOLLECT_SECRET"]


async def echo(arguments: JsonObject) -> Json:
    return arguments.get("text")


async def attempt(sandbox: Sandbox, code: str, **inputs: Json) -> GuestOutcome:
    """What became of a guest that knows one tool; and whether another runs after it."""
    with anyio.fail_after(_PATIENCE):
        async with anyio.create_task_group() as tasks:
            calls = AsyncFunctions({"tool": echo}, tasks)
            outcome = await sandbox.run(Guest(code, inputs, frozenset({"tool"})), calls)
            neighbour = await sandbox.run(Guest("1 + 1"), calls)
            tasks.cancel_scope.cancel()
    assert neighbour == GuestFinished(2)
    return outcome


@requirement("sandbox:escapes")
@pytest.mark.parametrize("code", cases(ESCAPES))
async def test_no_attempt_gets_out(sandbox: Sandbox, secret_file: Path, code: str) -> None:
    outcome = await attempt(sandbox, code, PATH=str(secret_file))

    assert SECRET not in repr(outcome)
    assert secret_file.read_text() == SECRET
    assert isinstance(outcome, GuestFailed) or harmless(outcome), outcome
    assert not isinstance(outcome, GuestFailed) or outcome.reason in ("error", "limit", "syntax")


def harmless(outcome: GuestOutcome) -> bool:
    """Nothing of the host: no object of it, no path, no module."""
    text = json.dumps(getattr(outcome, "value", None))
    return not any(word in text for word in ("/", "module", "frame", "subprocess", "Popen", "root"))


@requirement("sandbox:exhaustion")
@pytest.mark.parametrize("code", cases(EXHAUSTION))
async def test_no_attempt_outlives_its_limits(sandbox: Sandbox, code: str) -> None:
    outcome = await attempt(sandbox, code)

    assert isinstance(outcome, GuestFailed), outcome
    assert outcome.error
    assert len(outcome.error) < 10_000
    assert len(outcome.printed) <= LIMITS.printed


@requirement("sandbox:exhaustion")
@pytest.mark.parametrize("code", HARMLESS)
async def test_patterns_do_not_backtrack_without_end(sandbox: Sandbox, code: str) -> None:
    assert await attempt(sandbox, code) == GuestFinished(False)


@requirement("sandbox:exhaustion")
async def test_a_worker_that_dies_takes_nobody_along(sandbox: Sandbox) -> None:
    """The worker is killed from outside, as the kernel does when memory is short."""

    async def dies(_: JsonObject) -> Json:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and is_worker(folder):
                os.kill(int(folder.name), 9)
        return None

    async with anyio.create_task_group() as tasks:
        calls = AsyncFunctions({"tool": dies}, tasks)
        outcome = await sandbox.run(Guest("await tool()", functions=frozenset({"tool"})), calls)
    assert isinstance(outcome, GuestFailed)
    assert outcome.reason == "crash"
    assert await attempt(sandbox, "3") == GuestFinished(3)


def is_worker(folder: Path) -> bool:
    """Whether a process is a worker of this one's sandbox."""
    try:
        parent = folder.joinpath("stat").read_text().rpartition(")")[2].split()[1]
        return parent == str(os.getpid()) and b"monty" in folder.joinpath("cmdline").read_bytes()
    except OSError:
        return False


@requirement("sandbox:exhaustion")
async def test_there_are_eighty_attempts_at_least() -> None:
    assert len([*cases(ESCAPES), *cases(EXHAUSTION)]) > 120
