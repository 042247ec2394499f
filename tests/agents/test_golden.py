"""Samples of what each harness sends and what it is answered, kept as files in `tests/golden/agents`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.agents.dialects import DIALECTS
from recollect.agents.event import Event, HookReply

GOLDEN = Path(__file__).parent.parent / "golden" / "agents"
SAMPLES = sorted(GOLDEN.glob("*/*.json"))


def shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def sample(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:golden:read")
def test_a_recorded_input_is_read_as_recorded(path: Path) -> None:
    recorded = sample(path)

    event = DIALECTS[path.parent.name].read(recorded["event"], recorded["stdin"])

    assert event == Event(**recorded["read"])


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:golden:written")
def test_a_recorded_reply_is_written_byte_for_byte(path: Path) -> None:
    recorded = sample(path)

    output = DIALECTS[path.parent.name].write(Event(**recorded["read"]), HookReply(**recorded["reply"]))

    assert output == recorded["stdout"]


@pytest.mark.parametrize("path", SAMPLES, ids=shown)
@requirement("agents:unknown-fields:ignored")
def test_fields_that_a_later_version_adds_change_nothing(path: Path) -> None:
    recorded = sample(path)
    later = {"added_in_2027": {"deep": [1, None]}, **recorded["stdin"], "": "nothing"}

    event = DIALECTS[path.parent.name].read(recorded["event"], later)

    assert event == Event(**recorded["read"])


def test_every_harness_has_samples_of_a_prompt_a_start_and_a_denial() -> None:
    for harness in DIALECTS:
        names = {path.stem for path in SAMPLES if path.parent.name == harness}
        assert {"prompt", "session-start", "tool-before-denied"} <= names, harness
