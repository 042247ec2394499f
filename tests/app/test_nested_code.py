"""Capabilities that code calls: guests of their own inside the same run, budget and rules."""

import pytest
from tests.app.run_tools import Function, Functions, echo
from tests.app.test_code_tasks import (
    WRITE,
    anyio_backend,
    approve,
    code,
    journal,
    output,
    running,
    sandbox,
)
from tests.requirements import requirement

from recollect.learning.capabilities import Capability
from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.runner import Sandbox
from recollect.workflow.ports import Journal

__all__ = ["anyio_backend", "journal", "sandbox"]

pytestmark = [pytest.mark.anyio, requirement("learning:capabilities:called")]


LOOK = Capability(
    "twice", "d1", "look twice", "await look(n=n)\n(await look(n=n))['got']['n'] * 2", {"n": 1}
)
OUTER = Capability("outer", "d2", "", "await capability_twice(n=n) + 1", {"n": 5})


async def test_a_capability_is_a_function_with_its_parameters(
    journal: Journal,
    sandbox: Sandbox,
) -> None:
    tools = Functions({"look": Function(echo)})
    source = (
        "import asyncio\n"
        "await asyncio.gather(capability_twice(), capability_twice(n=4), capability_outer())"
    )
    document = {**code(source), "per_server": 1}
    async with running(journal, sandbox, tools, document, capabilities=[LOOK, OUTER]) as driver:
        await driver.rest()
    assert output(driver) == [2, 8, 11]
    nested = driver.state.tasks["code-3-1"].task
    assert (nested.tool, nested.code, nested.arguments) == ("capability:twice", LOOK.code, {"n": 5})
    assert len(tools.calls) == 6


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("await capability_twice(m=1)", "line 1"),
        ("await capability_twice(n='x')", "line 1"),
        ("await capability_twic()", "capability_twice"),
    ],
)
async def test_wrong_calls_of_a_capability_are_refused_before_anything_is_called(
    journal: Journal,
    sandbox: Sandbox,
    source: str,
    said: str,
) -> None:
    tools = Functions({"look": Function(echo)})
    async with running(journal, sandbox, tools, code(source), capabilities=[LOOK]) as driver:
        await driver.rest()
    assert driver.state.status == "failed"
    assert said in driver.state.tasks["code"].error
    assert tools.calls == []


async def test_a_capability_never_runs_inside_of_itself(
    journal: Journal,
    sandbox: Sandbox,
) -> None:
    first = Capability("first", "d1", "", "await capability_second()")
    second = Capability("second", "d2", "", "await capability_first()")
    source = "try:\n    await capability_first()\nexcept Exception as error:\n    x = str(error)\nx"
    async with running(
        journal, sandbox, Functions(), code(source), capabilities=[first, second]
    ) as driver:
        await driver.rest()
    said = str(output(driver))
    assert "code > capability:first > capability:second > capability:first" in said


async def test_calls_of_capabilities_count_for_the_code_that_runs_them(journal: Journal) -> None:
    tools, small = Functions({"look": Function(echo)}), Sandbox(GuestLimits(seconds=2.0, calls=5))
    source = "await capability_twice()\nawait capability_twice()"
    try:
        async with running(journal, small, tools, code(source), capabilities=[LOOK]) as driver:
            await driver.rest()
    finally:
        small.close()
    assert driver.state.status == "failed"
    assert "more than 5 calls" in driver.state.tasks["code"].error
    assert len(tools.calls) == 3


async def test_the_time_of_capabilities_counts_for_the_code_that_runs_them(journal: Journal) -> None:
    small = Sandbox(GuestLimits(seconds=1.0))
    endless = Capability("endless", "d1", "", "while True:\n    pass")
    source = (
        "try:\n    await capability_endless()\nexcept Exception:\n    pass\nawait capability_endless()"
    )
    try:
        async with running(journal, small, Functions(), code(source), capabilities=[endless]) as driver:
            await driver.rest()
    finally:
        small.close()
    assert driver.state.status == "failed"
    assert "than 1 s" in driver.state.tasks["code"].error
    assert "code-2" not in driver.state.tasks


async def test_a_capability_that_waits_for_a_person_goes_on_in_the_next_process(
    journal: Journal,
    sandbox: Sandbox,
) -> None:
    tools = Functions({"look": Function(echo), "change": WRITE})
    writing = Capability("writing", "d1", "", "x = await change(n=n)\nx['got']['n'] + 1", {"n": 1})
    outer = Capability("outer", "d2", "", "await look()\nawait capability_writing(n=20)")
    source = "await capability_outer() * 2"
    async with running(journal, sandbox, tools, code(source), capabilities=[writing, outer]) as driver:
        await driver.rest()
        assert driver.state.status == "paused"
    async with running(journal, sandbox, tools, capabilities=[writing, outer]) as driver:
        await approve(driver)
        await driver.rest()
    assert output(driver) == 42
    assert [arguments for _, arguments in tools.calls] == [{}, {"n": 20}]
