"""The harnesses we know. Looking one up imports its module and no other.

To add one, write `recollect/agents/<name>.py` with a `HARNESS`, and name it here.
"""

from __future__ import annotations

from recollect.working.tools import ToolNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.agents.harness import Harness

NAMES = (
    "claude-code",
    "codex",
    "cursor",
    "gemini",
    "opencode",
)


def find_harness(name: str) -> Harness | None:
    """The harness of this name; None if we know none."""
    if name not in NAMES:
        return None
    # Not importlib, which takes a hook 0.7 ms to load.
    module = __import__(f"recollect.agents.{name.replace('-', '_')}", fromlist=["HARNESS"])
    harness: Harness = module.HARNESS
    return harness


def get_harness(name: str) -> Harness:
    """The harness of this name.

    Raises:
        RefusedError: if we know none.
    """
    harness = find_harness(name)
    if harness is None:
        from recollect.errors import RefusedError  # a hook asks for none that we do not know

        raise RefusedError(f"unknown harness {name!r}; choose one of {', '.join(NAMES)}.")
    return harness


def all_harnesses() -> tuple[Harness, ...]:
    """Every harness, in our order."""
    return tuple(get_harness(name) for name in NAMES)


def all_tools() -> ToolNames:
    """The tool names of every harness together, where no harness is known: rules on the command line."""
    every = [harness.tools for harness in all_harnesses()]
    return ToolNames(
        shells=_merged(tools.shells for tools in every),
        reads=_merged(tools.reads for tools in every),
        searches=_merged(tools.searches for tools in every),
        edits=_merged(tools.edits for tools in every),
        deletes=_merged(tools.deletes for tools in every),
        fields={name: ours for tools in every for name, ours in tools.fields.items()},
    )


def _merged(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))
