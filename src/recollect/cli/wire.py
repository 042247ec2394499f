"""The shapes that `--json` prints. One shape a command; fields are added, never renamed."""

from typing import Any, NotRequired, TypedDict

from recollect.cli.wire_bench import BENCH_SHAPES
from recollect.cli.wire_graph import GRAPH_SHAPES, SkillShown
from recollect.cli.wire_redact import REDACT_SHAPES
from recollect.cli.wire_session import SESSION_SHAPES
from recollect.cli.wire_working import WORKING_SHAPES


class Listed(TypedDict):
    """A memory in a list."""

    id: str
    title: str
    category: str
    path: str
    status: str
    tags: list[str]
    updated_at: str


class ListOutput(TypedDict):
    """`recollect list`: `count` memories are shown of `total` that match."""

    count: int
    total: int
    memories: list[Listed]


class Redacted(TypedDict):
    """A secret that was taken out: its kind and the field it stood in."""

    kind: str
    field: str


class SaveOutput(TypedDict):
    """`save`, `edit`, `retire`, `restore`, `archive`, `unlink`, `session keep`.

    `action` is created, updated, unchanged or duplicate; a duplicate wrote nothing and names the memory
    that says it already.
    """

    id: str
    path: str
    action: str
    version: str
    redacted: NotRequired[list[Redacted]]
    superseded: NotRequired[list[str]]
    retired: NotRequired[list[str]]
    similarity: NotRequired[float]
    exact: NotRequired[bool]
    advice: NotRequired[str]


class AnchorRow(TypedDict):
    """What became of anchored code: fresh, drifted or orphaned."""

    path: str
    verdict: str


class ShowOutput(TypedDict):
    """`recollect show`: the record itself, its path, its version and the state of its anchors.

    Of a skill there is only `skill` beside id and path.
    """

    id: str
    path: str
    version: NotRequired[str]
    anchors: NotRequired[list[AnchorRow]]
    memory: NotRequired[dict[str, Any]]
    skill: NotRequired[SkillShown]


class MemoryHitRow(TypedDict):
    """A memory that was found. `drifted` when its code changed, `superseded` when it no longer holds.

    `validity` says what limits it in time, if something does: since when it is no longer valid, until when
    it is, or before when it is not.
    A skill that was found has the category skill, an id of the kind skill:deploy, and null for its status
    and time: it has neither.
    """

    id: str
    title: str
    category: str
    path: str
    status: str | None
    tags: list[str]
    updated_at: str | None
    score: float
    snippet: str
    drifted: bool
    superseded: bool
    validity: NotRequired[str]
    explanation: NotRequired[dict[str, Any]]


class SearchOutput(TypedDict):
    """`recollect search`. `total` counts everything found.

    In `--mode auto` there is `gate`, `answered_by` (a running `server`, or the `hook` by itself; missing when
    neither looks at such a prompt) and, when a prompt would be given nothing, `silence`: why.
    """

    query: str
    count: int
    total: int
    strategy: str
    hits: list[MemoryHitRow]
    notes: list[str]
    gate: NotRequired[dict[str, Any]]
    answered_by: NotRequired[str]
    silence: NotRequired[str]


class ModelRow(TypedDict):
    """One embedding model. `from_folder` tells that it cannot be fetched."""

    name: str
    installed: bool
    damaged: bool
    in_use: bool
    from_folder: bool
    dimensions: int | None
    megabytes: int | None
    licence: str | None
    about: str


class ModelOutput(TypedDict):
    """`recollect model list`, `install`, `use` and `remove`: every model, as it is now."""

    models: list[ModelRow]
    notes: list[str]


class Expired(TypedDict):
    """A memory that a collection concerns, and why."""

    id: str
    title: str
    reason: str


class GcOutput(TypedDict):
    """`recollect gc`: what was done, or would be when `applied` is false."""

    applied: bool
    retired: list[Expired]
    deleted: list[Expired]


class SearchHitRow(TypedDict):
    """One finding of `doctor`."""

    check: str
    level: str
    message: str
    advice: str
    path: str | None
    line: int | None
    fixable: bool
    fixed: bool


class DoctorOutput(TypedDict):
    """`recollect doctor`: `healthy` is false when an error is left."""

    healthy: bool
    memories: int
    project: str
    findings: list[SearchHitRow]


class IndexOutput(TypedDict):
    """`recollect index`."""

    path: str
    memories: int
    broken: int
    changed: bool
    embedded: int


class ImportItemRow(TypedDict):
    """One thing that was found: `action` is create, update or skip."""

    origin: str
    action: str
    id: str | None
    title: str | None
    reason: str
    notes: list[str]


class ImportOutput(TypedDict):
    """`recollect import`: what came in, or would when `applied` is false."""

    applied: bool
    kind: str
    created: int
    updated: int
    skipped: int
    rows: list[ImportItemRow]


class ExportOutput(TypedDict):
    """`recollect export --to FILE`."""

    path: str
    memories: int


class BackupOutput(TypedDict):
    """`recollect backup`."""

    path: str
    files: int


class ConfigRow(TypedDict):
    """One setting: its value, where it comes from, and what it does."""

    key: str
    value: str | int | float
    origin: str
    help: str


class ConfigOutput(TypedDict):
    """`recollect config`."""

    project: str
    root: str
    settings: list[ConfigRow]


class SetupStep(TypedDict):
    """One thing that was created, changed, kept, removed or skipped."""

    what: str
    action: str
    why: str


class SetupOutput(TypedDict):
    """`recollect init` and `recollect uninstall`. `notes` say what is left for a person to do."""

    project: str
    root: str
    steps: list[SetupStep]
    notes: list[str]


class HookCommandOutput(TypedDict):
    """`recollect hook-command`: the words that run the hook, and the line that the installers write."""

    command: list[str]
    shell: str


class InjectedRow(TypedDict):
    """A memory that a prompt was given; `used` is read, touched, cited or null."""

    session: str
    id: str
    at: str
    probability: float
    used: str | None


class HarnessRow(TypedDict):
    """A harness: whether it is in use here, and whether its files or its own plugin connect it.

    `next_step` is what a person still has to do before it runs anything of ours; empty when nothing is left.
    """

    name: str
    present: bool
    connected: bool
    plugin: bool
    next_step: str


class StatusOutput(TypedDict):
    """`recollect status`."""

    project: str
    root: str
    memories: int
    model: str | None
    harnesses: list[HarnessRow]
    given: list[InjectedRow]


class ImpactRow(TypedDict):
    """How often a memory was given to a prompt and used; `review` when it never helped."""

    id: str
    title: str | None
    given: int
    used: int
    review: bool


class ImpactOutput(TypedDict):
    """`recollect impact`."""

    memories: list[ImpactRow]


class ErrorOutput(TypedDict):
    """What any command prints on standard output with `--json` when it fails."""

    error: str
    exit_code: int


SHAPES: dict[str, type] = {
    "archive": SaveOutput,
    "backup": BackupOutput,
    "config": ConfigOutput,
    "doctor": DoctorOutput,
    "edit": SaveOutput,
    "export": ExportOutput,
    "gc": GcOutput,
    "hook-command": HookCommandOutput,
    "impact": ImpactOutput,
    "import": ImportOutput,
    "index": IndexOutput,
    "init": SetupOutput,
    "list": ListOutput,
    "restore": SaveOutput,
    "model install": ModelOutput,
    "model list": ModelOutput,
    "model remove": ModelOutput,
    "model use": ModelOutput,
    "retire": SaveOutput,
    "save": SaveOutput,
    "search": SearchOutput,
    "session keep": SaveOutput,
    "show": ShowOutput,
    "status": StatusOutput,
    "uninstall": SetupOutput,
    "unlink": SaveOutput,
    **BENCH_SHAPES,
    **GRAPH_SHAPES,
    **REDACT_SHAPES,
    **SESSION_SHAPES,
    **WORKING_SHAPES,
}
