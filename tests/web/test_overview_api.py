"""The overview counts what there is, in a project with memories, injections and drafts."""

from datetime import timedelta

from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.samples import NOW
from tests.server.conftest import save

from recollect.app.project import Recollect
from recollect.hook.latency import Latency
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.retrieval.index import Filters
from recollect.retrieval.pages import CreatedCount
from recollect.views.overview import needs_review, overview_output
from recollect.working.session_state import Impact, Injection


@requirement("page:views:overview")
def test_the_overview_counts_memories_by_category_and_day(
    project: Recollect, browser: TestClient
) -> None:
    first = save(project, "Sign a token at login")
    save(project, "Keep uploads small", Category.CONSTRAINT)
    project.memories.retire(first, "replaced")

    out = browser.get("/api/overview").json()
    waiting = browser.get("/api/attention").json()
    healthy = browser.get("/api/health").json()

    assert (out["memories"], out["in_force"]) == (2, 1)
    assert out["categories"] == [{"category": "constraint", "memories": 1}]
    assert out["growth"] == [{"day": NOW.date().isoformat(), "memories": 2}]
    assert len(out["injections"]) == 30
    assert out["injections"][-1]["day"] == NOW.date().isoformat()
    assert out["use_rate"] is None
    assert waiting == {"items": []}
    assert (healthy["memories"], healthy["healthy"]) == (2, True)


def test_injections_are_counted_by_day_with_how_many_were_used() -> None:
    at, long_ago = "2026-11-15T10:00:00Z", "2020-01-01T10:00:00Z"
    injections = [
        Injection("s", UnifiedId("mem:a"), at, 0.9, "read"),
        Injection("s", UnifiedId("mem:b"), at, 0.9),
        Injection("s", UnifiedId("mem:c"), long_ago, 0.9, "read"),
    ]
    today = NOW.replace(year=2026, month=11, day=16).date()
    created = [CreatedCount("2026-01-02", "decision", 2), CreatedCount("2026-01-01", "decision", 1)]

    out = overview_output(created, [], injections, [Latency("x", 3, 1.5, 2.5)], today)

    assert out["injections"][-2] == {"day": "2026-11-15", "injections": 2, "used": 1}
    assert out["injections"][-1] == {"day": "2026-11-16", "injections": 0, "used": 0}
    assert out["use_rate"] == 0.5
    assert [row["memories"] for row in out["growth"]] == [1, 3]
    assert out["latency"] == [{"door": "x", "calls": 3, "p50_ms": 1.5, "p95_ms": 2.5}]
    assert needs_review(Impact(UnifiedId("mem:a"), 5, 0))
    assert not needs_review(Impact(UnifiedId("mem:a"), 4, 0))
    assert not needs_review(Impact(UnifiedId("mem:a"), 50, 1))


def test_what_the_gateway_saved_is_counted_for_a_month(browser: TestClient) -> None:
    out = browser.get("/api/savings").json()

    assert out["since"] == (NOW - timedelta(days=30)).date().isoformat()
    assert (out["calls"], out["saved_tokens"]) == (0, 0)
    assert out["speculation"]["total"]["hits"] == 0


def test_created_counts_agree_with_the_listing(project: Recollect) -> None:
    for number in range(3):
        save(project, f"Decision number {number}")

    [every, none] = project.search.created(
        Filters(statuses=frozenset()), Filters(categories=frozenset({"runbook"}))
    )

    assert sum(count.memories for count in every) == 3
    assert none == []
