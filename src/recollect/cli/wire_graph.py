"""The shapes that `why`, `graph`, `link` and `bench graph` print with `--json`."""

from typing import NotRequired, TypedDict

from recollect.cli.wire_bench import SpeedRow


class GroundRow(TypedDict):
    """Where something can be looked up: `kind` is session, file or code."""

    kind: str
    where: str


class EdgeRow(TypedDict):
    """One link, as the memory `source` holds it."""

    source: str
    type: str
    target: str
    evidence: str | None


class SkillShown(TypedDict):
    """A page of a skill, and the edges at it: to other pages, and between it and memories."""

    title: str
    description: str
    tags: list[str]
    headings: list[str]
    excerpt: str
    edges: list[EdgeRow]


class StepRow(EdgeRow):
    """A link of a walk: it leads to `there`, `depth` links from the start; `says` reads towards it.

    `seen` is first, again or circle. What is gone, or is a skill, has no title.
    """

    there: str
    says: str
    depth: int
    seen: str
    title: NotRequired[str]
    category: NotRequired[str]
    status: NotRequired[str]
    valid_to: NotRequired[str]
    grounds: NotRequired[list[GroundRow]]


class SuccessorRow(TypedDict):
    """What superseded `of`, and since when."""

    id: str
    of: str
    title: str | None
    at: str | None
    evidence: str | None


class CommitRow(TypedDict):
    """A commit that some evidence names, and what git says of it."""

    commit: str
    says: str


class WhyOutput(TypedDict):
    """`recollect why`: the links back from a memory, the nearest first.

    `others` are what else was found for a question. `circular` when some of it rests on itself, `more`
    when the walk was cut off.
    """

    id: str
    title: str
    category: str
    status: str
    valid_to: str | None
    grounds: list[GroundRow]
    steps: list[StepRow]
    superseded_by: list[SuccessorRow]
    contradictions: list[EdgeRow]
    commits: list[CommitRow]
    others: list[str]
    circular: bool
    more: bool


class SuggestionRow(EdgeRow):
    """A link that may be missing, why, and the command that would make it."""

    reason: str
    command: str


class LinkOutput(TypedDict):
    """`recollect link`: what was written, as `save` tells it; with --suggest only `suggestions`."""

    id: NotRequired[str]
    path: NotRequired[str]
    action: NotRequired[str]
    version: NotRequired[str]
    redacted: NotRequired[list[dict[str, str]]]
    superseded: NotRequired[list[str]]
    suggestions: NotRequired[list[SuggestionRow]]


class GraphStatsOutput(TypedDict):
    """`recollect graph stats`.

    `dangling` lead to no memory, `loops` to themselves, `retired` from a memory in use to one that is
    not; `circles` are groups of memories that all rest on each other.
    """

    memories: int
    links: int
    by_type: dict[str, int]
    orphans: int
    communities: int
    dangling: list[EdgeRow]
    loops: list[EdgeRow]
    retired: list[EdgeRow]
    circles: list[list[str]]


class NodeRow(TypedDict):
    """A memory in the graph; `category` is skill or missing for the end of a link that is none."""

    id: str
    title: str
    category: str
    status: str
    valid: bool


class GraphOrphansOutput(TypedDict):
    """`recollect graph orphans`: memories in use without any link."""

    memories: list[NodeRow]


class CommunityRow(TypedDict):
    """Memories that belong together, what most rests on first."""

    size: int
    ids: list[str]


class GraphCommunitiesOutput(TypedDict):
    """`recollect graph communities`: the largest first."""

    communities: list[CommunityRow]


class GraphExportOutput(TypedDict):
    """`recollect graph export`: the graph itself, as `--format json` prints it too."""

    nodes: list[NodeRow]
    edges: list[EdgeRow]


class TreeRow(TypedDict):
    """What follows from one memory, the nearest first."""

    id: str
    title: str
    steps: list[StepRow]
    more: bool


class GraphTreeOutput(TypedDict):
    """`recollect graph tree`: from one memory, or from each that rests on nothing."""

    trees: list[TreeRow]


class QualityRow(TypedDict):
    """How well one kind of question is answered."""

    questions: int
    ndcg: float
    recall: float


class SkillsRow(TypedDict):
    """What a folder of skills became, and how long reading it took at the median."""

    pages: int
    nodes: int
    edges: int
    broken: int
    build_ms: float


class BenchGraphOutput(TypedDict):
    """`recollect bench graph`: the budgets, and how well linked memories are found, by ranking and kind."""

    results: list[SpeedRow]
    skills: SkillsRow
    quality: dict[str, dict[str, QualityRow]]


GRAPH_SHAPES: dict[str, type] = {
    "bench graph": BenchGraphOutput,
    "graph communities": GraphCommunitiesOutput,
    "graph export": GraphExportOutput,
    "graph orphans": GraphOrphansOutput,
    "graph stats": GraphStatsOutput,
    "graph tree": GraphTreeOutput,
    "link": LinkOutput,
    "why": WhyOutput,
}
