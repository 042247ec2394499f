"""One notion of what is in force, and the reason in plain words when something is not."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.requirements import requirement
from tests.samples import CONTENT, NOW, document

from recollect.clock import to_text
from recollect.ids import MemoryId
from recollect.records import links
from recollect.records.categories import Category
from recollect.records.in_force import force_of
from recollect.records.record import Memory

LATER = NOW + timedelta(days=30)


def memory(category: Category = Category.DECISION, id: str = "older", **fields: Any) -> Memory:
    """A memory of a category; a field of its content is set by its name."""
    content = dict(CONTENT[category])
    content |= {name: fields.pop(name) for name in list(fields) if name in _CONTENT_FIELDS}
    return Memory.parse(document(category, id=id, content=content, **fields))


_CONTENT_FIELDS = ("status", "active", "expires")


def reason(of: Memory, now: datetime = NOW) -> str:
    return force_of(of).reason(now)


@requirement("records:in-force:category")
@pytest.mark.parametrize(
    ("category", "fields", "why_not"),
    [
        (Category.DECISION, {}, ""),
        (Category.DECISION, {"status": "rejected"}, "rejected"),
        (Category.DECISION, {"status": "proposed"}, "proposed"),
        (Category.DECISION, {"status": "deprecated"}, "deprecated"),
        (Category.DECISION, {"status": "superseded"}, "superseded"),
        (Category.CONSTRAINT, {}, ""),
        (Category.CONSTRAINT, {"active": False}, "inactive"),
        (Category.TECH_DEBT, {"status": "open"}, ""),
        (Category.TECH_DEBT, {"status": "in_progress"}, ""),
        (Category.TECH_DEBT, {"status": "wont_fix"}, ""),
        (Category.TECH_DEBT, {"status": "resolved"}, "resolved"),
        (Category.PREFERENCE, {}, ""),
        (Category.RUNBOOK, {}, ""),
        (Category.SESSION_SUMMARY, {}, ""),
    ],
)
def test_a_category_s_own_status_decides(
    category: Category, fields: dict[str, Any], why_not: str
) -> None:
    force = force_of(memory(category, **fields))

    assert (force.reason(NOW), force.is_in_force(NOW)) == (why_not, not why_not)


@requirement("records:in-force:category")
@pytest.mark.parametrize(
    ("status", "before"), [("proposed", "proposed"), ("rejected", "rejected"), ("deprecated", "")]
)
def test_what_was_never_accepted_was_not_in_force_before_its_last_change_either(
    status: str, before: str
) -> None:
    """A search as of an earlier day must not give it; one that was deprecated was in force until then."""
    first, last = NOW - timedelta(days=90), NOW - timedelta(days=1)
    times: dict[str, Any] = {"created_at": to_text(first), "updated_at": to_text(last)}

    assert reason(memory(status=status, **times), NOW - timedelta(days=30)) == before


@requirement("records:in-force:expiry")
@pytest.mark.parametrize(
    ("expires", "why_not"),
    [
        ("2026-11-14", "expired on 2026-11-14"),
        ("2026-11-15", ""),
        ("2026-11-15T09:00:00Z", "expired on 2026-11-15"),
        ("until 2026-10-31.", "expired on 2026-10-31"),
        ("end of 2026-10", "expired on 2026-10"),
        ("2026-11", ""),
        ("when the vendor ships 2.0", ""),
        ("with the release of 2020-01-01 or later", ""),
        ("2026-13-45", ""),
        ("9999-12-31", ""),
        ("", ""),
    ],
)
def test_a_constraint_ends_with_the_day_that_it_expires_on(expires: str, why_not: str) -> None:
    assert reason(memory(Category.CONSTRAINT, expires=expires)) == why_not


@requirement("records:in-force:lifecycle")
@pytest.mark.parametrize(
    ("fields", "why_not"),
    [
        ({"record_status": "retired"}, "retired"),
        ({"record_status": "archived"}, "archived"),
        ({"valid_to": "2026-11-01"}, "no longer valid since 2026-11-01"),
        ({"valid_from": "2026-12-01"}, "not valid before 2026-12-01"),
        ({"valid_to": "2026-12-01"}, ""),
        ({"record_status": "retired", "status": "rejected"}, "retired"),
    ],
)
def test_what_is_not_active_or_not_valid_is_not_in_force(fields: dict[str, Any], why_not: str) -> None:
    if "valid_to" in fields:
        fields = {"valid_from": "2026-01-01", "created_at": "2026-01-01"} | fields

    assert reason(memory(**fields)) == why_not


@requirement("records:in-force:superseded")
def test_a_link_from_its_successor_is_enough_and_the_reason_names_it() -> None:
    older = memory()
    newer = memory(id="newer", links=[{"type": "supersedes", "target": "mem:older"}])
    force = force_of(older, links.successors([older, newer])[MemoryId("older")])

    assert force.reason(NOW) == "superseded by newer since 2026-11-15"
    assert force.superseded_by(NOW) == ("newer",)


@requirement("records:in-force:superseded")
def test_a_successor_that_begins_later_supersedes_from_then_on() -> None:
    older = memory()
    link = [{"type": "supersedes", "target": "mem:older"}]
    newer = memory(id="newer", valid_from="2026-12-01", links=link)
    force = force_of(older, links.successors([newer])[MemoryId("older")])

    assert force.reason(NOW) == ""
    assert force.reason(LATER) == "superseded by newer since 2026-12-01"


@requirement("records:in-force:proposals")
@pytest.mark.parametrize("status", ["proposed", "rejected"])
def test_a_decision_that_was_never_accepted_supersedes_nothing(status: str) -> None:
    older = memory()
    link = [{"type": "supersedes", "target": "mem:older"}]
    newer = memory(id="newer", status=status, links=link)

    assert links.end_validity(older, newer, NOW) is older
    assert links.successors([older, newer]) == {}


@requirement("records:in-force:superseded")
def test_the_history_of_a_closed_memory_names_its_successor() -> None:
    older = memory(created_at="2026-01-01")
    newer = memory(id="newer", links=[{"type": "supersedes", "target": "mem:older"}])
    closed = links.end_validity(older, newer, NOW)

    assert force_of(closed, links.closed_by(closed)).reason(LATER) == (
        "superseded by newer since 2026-11-15"
    )
    assert links.closed_by(older) == ()
