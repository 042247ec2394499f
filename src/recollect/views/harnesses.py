"""A harness: how it is set up, whether it is connected, and what its prompts got."""

from typing import TypedDict

from recollect.views.settings import SettingProblemRow


class SetupStepRow(TypedDict):
    """One file or setting, and what happened to it: created, changed, kept, removed or skipped.

    `by_hand` is the text to add to a file that could not be changed.
    """

    what: str
    action: str
    why: str
    by_hand: str


class SetupOutput(TypedDict):
    """`recollect init` and `recollect uninstall`. `notes` say what a person still has to do."""

    project: str
    root: str
    steps: list[SetupStepRow]
    notes: list[str]


class HookCommandOutput(TypedDict):
    """`recollect hook-command`: the hook's command as a list, and as the shell line that `init` writes."""

    command: list[str]
    shell: str


class InjectedRow(TypedDict):
    """A memory that a prompt got; `used` is read, touched, cited or null."""

    session: str
    id: str
    at: str
    probability: float
    used: str | None


class HarnessRow(TypedDict):
    """A harness: whether it is used here, and whether its settings or its own plugin connect it.

    `next_step` is what a person still has to do before it runs our hooks; empty when nothing is left.
    `obstacle` says why what its settings name cannot start on this machine; empty when it can.
    """

    name: str
    present: bool
    connected: bool
    plugin: bool
    next_step: str
    obstacle: str


class SurfaceOutput(TypedDict):
    """What the MCP server costs an agent in tokens before it calls a tool.

    `loaded_first` are the tools that ask a harness which hides tools to load them from the start.
    """

    tools: int
    tokens: int
    loaded_first: list[str]
    loaded_first_tokens: int


class LatencyRow(TypedDict):
    """The calls of a door so far, and the milliseconds of its last 256: p50 and p95.

    A hook's time is from its first line to its answer, without the start of Python; one that missed its
    deadline counts with the deadline.
    """

    door: str
    calls: int
    p50_ms: float
    p95_ms: float


class StatusOutput(TypedDict):
    """`recollect status`. `settings` lists values that are not accepted and keys that are misspelt."""

    project: str
    root: str
    memories: int
    model: str | None
    reranker: str | None
    settings: list[SettingProblemRow]
    surface: SurfaceOutput
    latency: list[LatencyRow]
    harnesses: list[HarnessRow]
    given: list[InjectedRow]


class ImpactRow(TypedDict):
    """How many prompts got a memory and how often it was used; `review` when it never helped."""

    id: str
    title: str | None
    given: int
    used: int
    review: bool


class ImpactOutput(TypedDict):
    """`recollect impact`."""

    memories: list[ImpactRow]
