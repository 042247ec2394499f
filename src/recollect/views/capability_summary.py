"""A capability in few words: beside the tools that a request finds, and as a suggestion."""

import json
from typing import TYPE_CHECKING, Any, TypedDict

from recollect.records.display import label, one_line
from recollect.sandbox.stubs import function_name

if TYPE_CHECKING:  # `recollect --help` declares the shape and needs nothing of learning
    from recollect.learning.capabilities import Capability

_SUMMARY = 160  # characters of what it is for
_SUGGESTION = 320  # characters: some 80 tokens


class CapabilitySummary(TypedDict):
    """Code that worked and may fit; `parameters` have the values they first had."""

    name: str
    about: str
    parameters: dict[str, Any]
    tools: list[str]
    runs: int
    successes: int


def capability_summary(capability: "Capability") -> CapabilitySummary:
    """What a list shows of a capability."""
    return {
        "name": capability.name,
        "about": one_line(capability.intent)[:_SUMMARY],
        "parameters": dict(capability.parameters),
        "tools": list(capability.tools),
        "runs": capability.runs,
        "successes": capability.successes,
    }


def capability_line(row: CapabilitySummary) -> str:
    """How code calls it, and how often it worked."""
    values = ", ".join(f"{name}={_compact(value)}" for name, value in row["parameters"].items())
    about = f": {row['about']}" if row["about"] else ""
    counts = f"succeeded {row['successes']} of {row['runs']} times"
    function = function_name(f"capability:{row['name']}")
    return label(f"Code that worked ({counts}), in code: await {function}({values}){about}")


def suggestion_text(capability: "Capability") -> str:
    """One short line about code that does what the last calls did."""
    line = capability_line(capability_summary(capability))
    return f"[recollect] {line if len(line) <= _SUGGESTION else f'{line[:_SUGGESTION].rstrip()} …'}"


def _compact(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
