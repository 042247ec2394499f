"""The state of a project at a glance, as the page shows it first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TypedDict

from recollect.app.review.unused import UNUSED_BEFORE_REVIEW
from recollect.app.search import CreatedCount
from recollect.gateway.receipts import ReceiptReport
from recollect.hook.latency import Latency
from recollect.views.harnesses import LatencyRow
from recollect.views.speculation import GatewaySpeculationOutput
from recollect.working.session_state import Impact, Injection

DAYS = 30  # that the page shows of what happens every day


class ProjectOutput(TypedDict):
    """The project that the page shows, and to whom.

    `approval_refusal` says why they can approve nothing; else empty. `may` has the names of what they may do.
    `member` is empty where no team shares the project.
    """

    name: str
    folder: str
    root: str
    version: str
    model: str | None
    approval_refusal: str
    member: str
    may: list[str]


class CategoryCountRow(TypedDict):
    """How many memories of a category are in force."""

    category: str
    memories: int


class GrowthRow(TypedDict):
    """How many memories there were at the end of a day. Days without a new memory are left out."""

    day: str
    memories: int


class InjectionDayRow(TypedDict):
    """The injections into prompts of a day, and how many of them were used."""

    day: str
    injections: int
    used: int


class OverviewOutput(TypedDict):
    """The memories and their use. `use_rate` is of the days shown; null without an injection."""

    memories: int
    in_force: int
    categories: list[CategoryCountRow]
    growth: list[GrowthRow]
    injections: list[InjectionDayRow]
    use_rate: float | None
    latency: list[LatencyRow]


class SavingsOutput(TypedDict):
    """What the gateway saved since a day: tokens of results, and time of calls that ran ahead."""

    since: str
    calls: int
    used_tokens: int
    saved_tokens: int
    speculation: GatewaySpeculationOutput


class AttentionRow(TypedDict):
    """Something that waits for a person. `kind` is drafts, runs, tools, unused or settings."""

    kind: str
    count: int
    text: str


class AttentionOutput(TypedDict):
    """What waits for a person; what is empty is left out."""

    items: list[AttentionRow]


def overview_output(
    created: Sequence[CreatedCount],
    in_force: Sequence[CreatedCount],
    injections: Iterable[Injection],
    latencies: Iterable[Latency],
    today: date,
) -> OverviewOutput:
    """The overview from counts of all memories and of those in force, and the last injections."""
    categories = Counter[str]()
    for count in in_force:
        categories[count.category] += count.memories
    days = injection_days(injections, today)
    total = sum(row["injections"] for row in days)
    return {
        "memories": sum(count.memories for count in created),
        "in_force": categories.total(),
        "categories": [
            {"category": category, "memories": number} for category, number in categories.most_common()
        ],
        "growth": growth_rows(created),
        "injections": days,
        "use_rate": round(sum(row["used"] for row in days) / total, 4) if total else None,
        "latency": [latency_row(latency) for latency in latencies],
    }


def growth_rows(created: Sequence[CreatedCount]) -> list[GrowthRow]:
    """The number of memories after each day on which one was made."""
    rows, total = list[GrowthRow](), 0
    by_day = Counter[str]()
    for count in created:
        by_day[count.day] += count.memories
    for day in sorted(by_day):
        total += by_day[day]
        rows.append({"day": day, "memories": total})
    return rows


def injection_days(injections: Iterable[Injection], today: date) -> list[InjectionDayRow]:
    """The last days, the oldest first, with those on which nothing was injected."""
    days = [(today - timedelta(days=back)).isoformat() for back in reversed(range(DAYS))]
    rows: dict[str, InjectionDayRow] = {day: {"day": day, "injections": 0, "used": 0} for day in days}
    for injection in injections:
        if (row := rows.get(injection.at[:10])) is not None:
            row["injections"] += 1
            row["used"] += injection.used is not None
    return list(rows.values())


def latency_row(latency: Latency) -> LatencyRow:
    """How long the calls of a door take."""
    return {
        "door": latency.door,
        "calls": latency.calls,
        "p50_ms": latency.p50,
        "p95_ms": latency.p95,
    }


def savings_output(
    report: ReceiptReport, speculation: GatewaySpeculationOutput, since: str
) -> SavingsOutput:
    """What the gateway saved, from its receipts."""
    tools = [use for server in report.servers for use in server.uses]
    return {
        "since": since,
        "calls": sum(use.calls for use in tools),
        "used_tokens": sum(use.used_tokens for use in tools),
        "saved_tokens": sum(use.saved_tokens for use in tools),
        "speculation": speculation,
    }


def needs_review(impact: Impact) -> bool:
    """Whether a memory was injected often and never used."""
    return impact.injected >= UNUSED_BEFORE_REVIEW and not impact.used
