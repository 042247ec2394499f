"""Samples of what each harness sends and what it is answered, kept as files in `tests/golden/agents`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.agents.event import Event, HookReply
from recollect.agents.harnesses import NAMES, get_harness

GOLDEN = Path(__file__).parent.parent / "golden" / "agents"
SAMPLES = sorted(GOLDEN.glob("*/*.json"))


def shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def sample(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def recorded_event(path: Path) -> Event:
    return Event(**sample(path)["read"], harness=path.parent.name)


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:golden:read")
def test_a_recorded_input_is_read_as_recorded(path: Path) -> None:
    recorded = sample(path)

    event = get_harness(path.parent.name).event(recorded["event"], recorded["stdin"])

    assert event == recorded_event(path)


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:golden:written")
def test_a_recorded_reply_is_written_byte_for_byte(path: Path) -> None:
    recorded = sample(path)

    output = get_harness(path.parent.name).write(recorded_event(path), HookReply(**recorded["reply"]))

    assert output == recorded["stdout"]


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:unknown-fields:ignored")
def test_fields_that_a_later_version_adds_change_nothing(path: Path) -> None:
    recorded = sample(path)
    later = {"added_in_2027": {"deep": [1, None]}, **recorded["stdin"], "": "nothing"}

    event = get_harness(path.parent.name).event(recorded["event"], later)

    assert event == recorded_event(path)


def test_every_harness_has_samples_of_a_prompt_a_start_and_a_denial() -> None:
    for harness in NAMES:
        names = {path.stem for path in SAMPLES if path.parent.name == harness}
        assert {"prompt", "session-start", "tool-before-denied"} <= names, harness
