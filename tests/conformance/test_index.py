"""The text index, reading side."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.indexes import MakeIndex
from tests.requirements import requirement
from tests.retrieval.corpora import DAY, corpora, doc

from recollect import clock
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType
from recollect.retrieval.documents import force_of_document
from recollect.retrieval.index import Document, Filters, Index, Key
from recollect.text.stemming import stems
from recollect.text.tokens import tokens
from recollect.values import replaced

IndexOf = Callable[..., Index]
Passing = Callable[..., set[str]]


def day(number: int) -> str:
    return clock.to_text(DAY + timedelta(days=number))


def names(index: Index, keys: Sequence[Key]) -> set[str]:
    return {fact.id.removeprefix("mem:") for fact in index.facts(keys).values()}


@pytest.fixture(scope="session")
def index_of(make_index: MakeIndex) -> IndexOf:
    return lambda *documents: make_index().filled(documents)


@pytest.fixture(scope="session")
def passing(index_of: IndexOf) -> Passing:
    """Who passes: by words, by files, by titles and by exclusion, which must agree."""

    def passing(filters: Filters, *documents: Document) -> set[str]:
        index = index_of(
            *(replaced(one, title="Ledger", files=(*one.files, "all.py")) for one in documents)
        )
        every = names(index, [key for key, _, _ in index.titles(Filters(statuses=frozenset()))])
        by_titles = names(index, [key for key, _, _ in index.titles(filters)])
        by_words = index.by_words([("ledger", 1)], filters, 50)
        assert names(index, [key for key, _ in by_words]) == by_titles
        assert names(index, [key for key, _ in index.by_files(["all.py"], filters, 50)]) == by_titles
        assert every - names(index, index.excluded(filters)) == by_titles
        return by_titles

    return passing


EVERY_STATUS = frozenset({"active", "retired", "archived"})


def test_filters_of_category_tag_and_status(passing: Passing) -> None:
    rows = [
        doc("a", category="decision", tags=["x", "y"]),
        doc("b", category="runbook", tags=["x"]),
        doc("c", category="decision", status="retired"),
        doc("d", category="constraint", status="archived", tags=["X"]),
    ]

    assert passing(Filters(), *rows) == {"a", "b"}
    assert passing(Filters(statuses=EVERY_STATUS), *rows) == {"a", "b", "c", "d"}
    assert passing(Filters(statuses=frozenset({"retired"})), *rows) == {"c"}
    assert passing(Filters(categories=frozenset({"runbook", "constraint"})), *rows) == {"b"}
    assert passing(Filters(tags=frozenset({"x", "y"})), *rows) == {"a"}
    assert passing(Filters(tags=frozenset({"' OR 1=1 --"})), *rows) == set()
    assert passing(Filters(tags=frozenset({"\ud800"})), *rows) == set()


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("src/auth.py", {"exact", "deep", "glob"}),
        ("auth.py", {"exact", "deep", "bare"}),
        ("other/auth.py", set()),
        ("lib/src/auth.py", {"deep"}),
        ("src/a%.py", {"glob"}),
        ("app/[id]/page.tsx", {"route"}),
        ("SRC/auth.py", set()),
        ("\ud800", set()),
    ],
)
def test_filter_of_a_file(passing: Passing, file: str, found: set[str]) -> None:
    rows = [
        doc("exact", files=("src/auth.py",)),
        doc("deep", files=("lib/src/auth.py",)),
        doc("bare", files=("auth.py",)),
        doc("glob", files=("src/*.py",)),
        doc("route", files=("app/[id]/page.tsx",)),
        doc("none"),
    ]

    assert passing(Filters(file=file), *rows) == found


@requirement("retrieval:files:channel")
def test_a_document_counts_each_file_once_however_many_of_its_paths_mean_it(index_of: IndexOf) -> None:
    index = index_of(
        doc("exact", files=("src/models/user.py",)),
        doc("thrice", files=("models/user.py", "user.py", "*.py")),
        doc("route", files=("app/[id]/page.tsx",)),
    )

    def found(*files: str) -> dict[str, float]:
        ranking = index.by_files(files, Filters(), 50)
        facts = index.facts([key for key, _ in ranking])
        return {facts[key].id.removeprefix("mem:"): score for key, score in ranking}

    assert found("src/models/user.py") == {"exact": 2.0, "thrice": 2.0}
    assert found("src/models/user.py", "src/models/user.py") == {"exact": 2.0, "thrice": 2.0}
    assert found("src/models/user.py", "a.py") == {"thrice": 3.0, "exact": 2.0}
    assert found("app/[id]/page.tsx") == {"route": 2.0}


def test_filters_of_the_last_change(passing: Passing) -> None:
    rows = [doc("a", day=1), doc("b", day=1, updated_at=day(5)), doc("c", day=9)]

    assert passing(Filters(since=day(5)), *rows) == {"b", "c"}
    assert passing(Filters(until=day(5)), *rows) == {"a", "b"}
    assert passing(Filters(since=day(2), until=day(8)), *rows) == {"b"}


@requirement("retrieval:filters:retention")
def test_a_category_may_leave_out_what_changed_too_long_ago(passing: Passing) -> None:
    rows = [
        doc("old", day=1, category="session_summary"),
        doc("changed", day=1, updated_at=day(5), category="session_summary"),
        doc("new", day=9, category="session_summary"),
        doc("decision", day=1, category="decision"),
    ]
    summaries = Filters(retained_since=(("session_summary", day(5)),))
    both = Filters(retained_since=(("session_summary", day(9)), ("decision", day(2))))

    assert passing(summaries, *rows) == {"changed", "new", "decision"}
    assert passing(both, *rows) == {"new"}


@requirement("retrieval:filters:as-of")
def test_as_of_gives_what_held_then(passing: Passing) -> None:
    rows = [
        doc("old", day=1, valid_to=day(5)),
        doc("new", day=5),
        doc("retired", day=1, status="retired", gone_at=day(3)),
        doc("backdated", day=9, valid_from=day(2)),
    ]

    assert passing(Filters(as_of=day(0)), *rows) == set()
    assert passing(Filters(as_of=day(2)), *rows) == {"old", "retired", "backdated"}
    assert passing(Filters(as_of=day(4)), *rows) == {"old", "backdated"}
    assert passing(Filters(as_of=day(5)), *rows) == {"new", "backdated"}


def test_what_a_prompt_may_be_given_is_valid_and_trusted(passing: Passing) -> None:
    rows = [doc("a"), doc("old", valid_to=day(1)), doc("tool", source="tool"), doc("me", source="user")]

    assert passing(Filters(in_force_at=day(1), only_trusted=True), *rows) == {"a", "me"}


@requirement("retrieval:filters:in-force")
def test_a_prompt_may_be_given_only_what_its_own_status_and_no_successor_speak_against(
    passing: Passing,
) -> None:
    supersedes = LinkType.SUPERSEDES
    rows = [
        doc("rejected", day=1, ended_as="rejected", ended_at=day(1)),
        doc("expiring", day=1, ended_as="expired on a day", ended_at=day(5)),
        doc("older", day=1),
        doc("newer", day=4, links=(Link(supersedes, UnifiedId("mem:older")),)),
        doc("kept", day=1),
        doc(
            "idea",
            day=1,
            ended_as="proposed",
            ended_at=day(1),
            links=(Link(supersedes, UnifiedId("mem:kept")),),
        ),
    ]

    assert passing(Filters(in_force_at=day(3)), *rows) == {"expiring", "older", "kept", "newer"}
    assert passing(Filters(in_force_at=day(5)), *rows) == {"newer", "kept"}
    assert passing(Filters(as_of=day(3)), *rows) == {"expiring", "older", "kept"}
    assert passing(Filters(as_of=day(5)), *rows) == {"newer", "kept"}


@requirement("retrieval:filters:in-force")
def test_a_document_names_what_supersedes_it(index_of: IndexOf) -> None:
    link = Link(LinkType.SUPERSEDES, UnifiedId("mem:older"))
    index = index_of(doc("older", day=1), doc("newer", day=4, links=(link,)))

    found = index.by_ids([UnifiedId("mem:older"), UnifiedId("mem:newer")], Filters())

    assert [one.successors for one in found.values()] == [(("mem:newer", day(4)),), ()]


DAYS = st.integers(0, 4)


@given(st.lists(st.tuples(DAYS, st.none() | DAYS, st.none() | DAYS), min_size=1, max_size=8), DAYS)
def test_what_holds_at_a_moment_is_what_a_record_says_of_it(
    passing: Passing,
    spent: Callable[[str], bool],
    times: list[tuple[int, int | None, int | None]],
    now: int,
) -> None:
    if spent("moments"):
        return
    rows = [
        doc(
            f"m{number}",
            day=written,
            valid_from=None if start is None else day(start),
            valid_to=None if end is None else day(end),
        )
        for number, (written, start, end) in enumerate(times)
    ]
    moment = clock.from_text(day(now))

    found = passing(Filters(in_force_at=day(now)), *rows)

    assert found == {
        one.id.removeprefix("mem:") for one in rows if force_of_document(one).is_in_force(moment)
    }


def test_only_what_holds_is_compared_with_its_code(index_of: IndexOf) -> None:
    index = index_of(
        doc("plain", day=1, anchors="[]"),
        doc("until", day=1, anchors="[]", valid_to=day(5)),
        doc("from", day=1, anchors="[]", valid_from=day(5)),
    )

    def held(number: int) -> set[str]:
        return {one.id.removeprefix("mem:") for one in index.anchored(day(number), 9)}

    assert held(4) == {"plain", "until"}
    assert held(5) == {"plain", "from"}


@given(corpora(), st.integers(0, 6), st.booleans())
def test_filters_agree_in_every_channel(
    passing: Passing, spent: Callable[[str], bool], documents: list[Document], after: int, valid: bool
) -> None:
    if spent("filters"):
        return
    filters = Filters(
        categories=frozenset({"decision", "constraint"}),
        since=day(after),
        in_force_at=day(9) if valid else None,
    )

    assert passing(filters, *documents) == {
        one.path
        for one in documents
        if one.category != "session_summary" and one.created_at >= day(after)
    }


def test_a_filter_that_leaves_out_the_best_still_fills_the_page(index_of: IndexOf) -> None:
    index = index_of(
        *(doc(f"x{number}", "Ledger ledger", status="retired") for number in range(100)),
        *(doc(f"y{number}", "Ledger and much else") for number in range(10)),
    )

    found = index.by_words([("ledger", 1)], Filters(), 5)

    assert names(index, [key for key, _ in found]) == {f"y{number}" for number in range(5)}


@pytest.mark.parametrize("stem", ['"', "a OR b", "NEAR(a b)", "*", "^x", "{title}: x", 'a"b', "(", "-"])
def test_no_stem_is_syntax(index_of: IndexOf, stem: str) -> None:
    assert index_of(doc("a", "Ledger")).by_words([(stem, 1)], Filters(), 5) == []


def test_a_document_comes_back_as_it_went_in(index_of: IndexOf) -> None:
    document: dict[str, Any] = {
        "category": "decision", "priority": 3, "updated_at": day(2), "valid_from": day(1),
        "valid_to": day(3), "gone_at": day(4), "files": ("a.py", "b/*.ts"), "thread": "s",
        "source": "tool", "status": "retired", "tags": ["x", "ü"],
    }  # fmt: skip
    one = doc("a", "Tïtle", "body\nlines", **document)
    index = index_of(one)

    ((key, title, tags),) = index.titles(Filters(statuses=EVERY_STATUS))

    assert index.documents([key]) == {key: one}
    assert (title, tags) == ("Tïtle", ["x", "ü"])
    assert index.size == 1


def test_more_keys_than_a_statement_has_room_for_can_be_asked(index_of: IndexOf) -> None:
    index = index_of(*(doc(f"d{number}", files=("x.py",)) for number in range(1200)))

    found = index.by_files(["x.py"], Filters(), 2000)

    assert len(index.facts([key for key, _ in found])) == len(found) == 1200


def test_longer_words_are_the_commonest_that_begin_so(index_of: IndexOf) -> None:
    index = index_of(doc("a", "deadlock deadlin"), doc("b", "deadlock dead"), doc("c", "数据库锁 锁表"))

    assert index.longer("dead", 5) == ["deadlock", "dead", "deadlin"]
    assert index.longer("dead", 1) == ["deadlock"]
    assert set(index.longer("锁", 5)) == {"库锁", "锁表"}
    assert index.frequencies(["deadlock", "dead", "nothing"]) == {"deadlock": 2, "dead": 1}


def test_by_age_is_newest_first(index_of: IndexOf) -> None:
    index = index_of(doc("a", "Ledger", day=1), doc("b", "Ledger", day=3), doc("c", "Ledger", day=2))
    keys = [key for key, _, _ in index.titles(Filters())]

    facts = index.facts(keys)

    assert [facts[key].id for key in index.by_age(keys)] == ["mem:b", "mem:c", "mem:a"]


def test_a_document_is_known_by_the_stems_of_its_words_in_their_order(index_of: IndexOf) -> None:
    body = "The webhooks of `RefundJob` were retried twice, 支払い too."
    index = index_of(doc("a", "Retrying payments", body, tags=["stripe", "web-hooks"]))
    [key] = [key for key, _, _ in index.titles(Filters())]

    head, told = index.stemmed(key)

    assert head == [*stems(tokens("Retrying payments")), *stems(tokens("stripe web-hooks"))]
    assert told == stems(tokens(body))
    assert "retri" in told
    assert "retri" in head
