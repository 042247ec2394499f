"""One sandbox for the tests of a module."""

from collections.abc import AsyncIterator

import pytest

from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.runner import Sandbox


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    sandbox = Sandbox(GuestLimits(seconds=2.0, memory=16_000_000, calls=50))
    yield sandbox
    sandbox.close()
