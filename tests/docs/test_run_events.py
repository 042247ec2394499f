"""The page about events lists exactly the events that there are, with their fields."""

import re
from dataclasses import fields
from pathlib import Path

from tests.requirements import requirement

from recollect.workflow.commands import COMMANDS
from recollect.workflow.events import EVENTS, name_of

PAGE = Path(__file__).parents[2] / "docs" / "formats" / "run-events.md"


@requirement("workflow:events:closed")
def test_every_event_stands_on_the_page_with_its_fields() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)

    listed = {name: re.findall(r"`(\w+)`", columns) for name, columns in rows}
    assert listed == {name_of(kind): [field.name for field in fields(kind)] for kind in EVENTS}


@requirement("workflow:commands:closed")
def test_every_command_stands_on_the_page() -> None:
    text = PAGE.read_text("utf-8")

    assert all(f"`{command}`" in text for command in COMMANDS)
