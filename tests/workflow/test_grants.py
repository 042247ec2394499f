"""A grant covers what a person read, as often and as long as they said; the reason why not is given."""

import pytest
from tests.requirements import requirement

from recollect.records.json_format import JsonObject
from recollect.workflow.grants import Grant

BEFORE, END, AFTER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"


@requirement("workflow:approval:grants")
@pytest.mark.parametrize(
    ("arguments", "uses", "now", "refusal"),
    [
        ({"path": "tmp/a"}, 1, BEFORE, ""),
        ({"path": "src/a"}, 1, BEFORE, "the grant g1 is for other arguments"),
        ({"path": "tmp/a", "force": True}, 1, BEFORE, "the grant g1 is for other arguments"),
        ({}, 1, BEFORE, "the grant g1 is for other arguments"),
        ({"path": "tmp/a"}, 0, BEFORE, "the grant g1 has no uses left"),
        ({"path": "tmp/a"}, 1, END, f"the grant g1 ended at {END}"),
        ({"path": "tmp/a"}, 1, AFTER, f"the grant g1 ended at {END}"),
    ],
)
def test_a_grant_says_why_it_does_not_cover_a_call(
    arguments: JsonObject, uses: int, now: str, refusal: str
) -> None:
    grant = Grant("g1", "disk:delete", {"path": "tmp/*"}, uses, END, "person")

    assert grant.refusal(arguments, now) == refusal
