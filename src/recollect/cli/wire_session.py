"""The shapes that `session` and `bench working` print with `--json`."""

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

if TYPE_CHECKING:
    from recollect.working.session import WorkingMemory


class SessionRow(TypedDict):
    """A session: its harness, when it began and was last seen, what it is for, how much it has in mind."""

    id: str
    harness: str
    started_at: str
    seen_at: str
    goal: str
    items: int


class ItemRow(TypedDict):
    """An item: how much it matters now, how many events ago it was seen, and where it comes from."""

    content: str
    attention: float
    kind: str
    age: int
    mentions: int
    tool: str
    rule: str
    redacted: bool
    paths: list[str]


class FadedRow(TypedDict):
    """An item that left; `reason` is faded, crowded out, replaced or resolved."""

    content: str
    kind: str
    reason: str
    event: int


class SessionOutput(TypedDict):
    """`recollect session show`: `session` is null when none has been here."""

    session: SessionRow | None
    event: int
    items: list[ItemRow]
    faded: list[FadedRow]


class SessionsOutput(TypedDict):
    """`recollect session list`."""

    sessions: list[SessionRow]


class DraftRow(TypedDict):
    """A draft and the memory that it would become."""

    name: str
    memory: dict[str, Any]


class DraftsOutput(TypedDict):
    """`recollect session drafts`."""

    drafts: list[DraftRow]


class DropOutput(TypedDict):
    """`recollect session drop`."""

    dropped: str


def items_of(memory: "WorkingMemory") -> list[ItemRow]:
    """The items of a working memory, what matters most first."""
    from recollect.working.attention import elapsed

    return [
        {
            "content": item.content,
            "attention": round(level, 4),
            "kind": item.kind,
            "age": elapsed(memory.event, item.last),
            "mentions": item.mentions,
            "tool": item.provenance.tool,
            "rule": item.provenance.rule,
            "redacted": item.provenance.redaction_applied,
            "paths": list(item.paths),
        }
        for item, level in memory.ranked()
    ]


class WorkingRow(TypedDict):
    """One budget of working memory; of a whole process, the ratios to both baselines of the same run."""

    name: str
    p50_ms: float
    p95_ms: float
    budget: str
    kept: bool
    ratio: NotRequired[float]
    direct_ratio: NotRequired[float]


FoundSessions = TypedDict(
    "FoundSessions",
    {"ndcg@10": float, "gain": NotRequired[float], "gain_interval": NotRequired[list[float]]},
)
FoundSessions.__doc__ = (
    """How well earlier sessions are found; `gain` is what the session boost adds."""
)


class BenchWorkingOutput(TypedDict):
    """`recollect bench working`.

    `base_ms` is `python3 -c "import json, sqlite3"` as a shell starts it, `direct_ms` the same by the
    interpreter that runs Recollect. `found` is there with --data: each way to find earlier sessions.
    """

    base_ms: float
    direct_ms: float
    results: list[WorkingRow]
    found: NotRequired[dict[str, FoundSessions]]


SESSION_SHAPES: dict[str, type] = {
    "bench working": BenchWorkingOutput,
    "session drafts": DraftsOutput,
    "session drop": DropOutput,
    "session list": SessionsOutput,
    "session show": SessionOutput,
}
