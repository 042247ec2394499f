"""What every `PastSessionStore` does."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase
from recollect.text.stemming import stems
from recollect.text.tokens import tokens
from recollect.working.past_sessions import (
    ImportedTranscript,
    PastEntry,
    PastSession,
    PastSessionStore,
)

OpenStore = Callable[[Path], tuple[PastSessionStore, Callable[[], None]]]


def sqlite_store(folder: Path) -> tuple[PastSessionStore, Callable[[], None]]:
    database = StateDatabase(str(folder / STATE_NAME))
    return database.past_sessions, database.close


@pytest.fixture(params=[sqlite_store])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PastSessionStore]:
    make: OpenStore = request.param
    opened, close = make(tmp_path)
    yield opened
    close()


def session(name: str, ended: str = "2026-03-01T10:00:00Z", goal: str = "Ship it") -> PastSession:
    return PastSession(name, "claude-code", f"/t/{name}.jsonl", ended, ended, goal)


def add(store: PastSessionStore, past: PastSession, *texts: str, version: str = "1") -> None:
    entries = [PastEntry("said", text, line, past.ended_at) for line, text in enumerate(texts, start=1)]
    store.save(ImportedTranscript(past.transcript, version, past.id, (("d", "x"),)), past, entries)


def found(store: PastSessionStore, query: str, limit: int = 10, offset: int = 0) -> list[str]:
    hits = store.search(stems(tokens(query)), limit, offset).hits
    return [hit.entry.text for hit in hits]


@requirement("importing:sessions:search")
def test_entries_are_matched_by_any_word_in_any_form_best_first(store: PastSessionStore) -> None:
    add(store, session("a"), "The deploy failed on Friday", "deploying the deployment again")
    add(store, session("b"), "Rename the column")

    assert sorted(found(store, "deployed columns")) == [
        "Rename the column",
        "The deploy failed on Friday",
        "deploying the deployment again",
    ]
    assert found(store, "friday deploy")[0] == "The deploy failed on Friday"
    assert found(store, "kubernetes") == []


def test_a_hit_names_its_session_and_its_line(store: PastSessionStore) -> None:
    past = session("a", goal="Fix the login")
    add(store, past, "first", "second thing")

    [hit] = store.search(["second"], 10).hits

    assert hit.session == past
    assert (hit.entry.line, hit.entry.kind, hit.entry.at) == (2, "said", past.ended_at)


def test_a_page_says_how_many_there_are_in_all(store: PastSessionStore) -> None:
    add(store, session("a"), *[f"deploy number {number}" for number in range(5)])

    page = store.search(["deploi"], 2, 4)

    assert (len(page.hits), page.total) == (1, 5)


@requirement("importing:transcripts:idempotent")
def test_saving_a_transcript_again_replaces_what_it_said(store: PastSessionStore) -> None:
    add(store, session("a"), "the old words")
    add(store, session("a"), "the new words", version="2")

    assert found(store, "old") == []
    assert found(store, "words") == ["the new words"]
    assert store.imported("/t/a.jsonl") == ImportedTranscript("/t/a.jsonl", "2", "a", (("d", "x"),))
    assert len(store.sessions(10)) == 1


def test_a_transcript_that_was_never_imported_has_no_record(store: PastSessionStore) -> None:
    assert store.imported("/t/none.jsonl") is None
    assert store.drafted("session-none") == ""


def test_the_digest_of_a_draft_is_the_one_of_the_last_import(store: PastSessionStore) -> None:
    for version, digest in (("1", "aa"), ("2", "bb")):
        transcript = ImportedTranscript("/t/a.jsonl", version, "a", (("session-a", digest),))
        store.save(transcript, session("a"), [])

    assert store.drafted("session-a") == "bb"


def test_pruning_deletes_the_oldest_but_remembers_that_they_were_imported(
    store: PastSessionStore,
) -> None:
    for month in (1, 2, 3, 4):
        add(store, session(f"s{month}", f"2026-0{month}-01T00:00:00Z"), f"deploy {month}")

    assert store.prune(before="2026-02-01T00:00:00Z") == 1
    assert store.prune(most=2) == 1
    assert store.prune(most=2) == 0

    assert [past.id for past in store.sessions(10)] == ["s4", "s3"]
    assert sorted(found(store, "deploy")) == ["deploy 3", "deploy 4"]
    assert store.imported("/t/s1.jsonl") is not None


def test_a_store_that_is_opened_again_has_what_was_saved(tmp_path: Path) -> None:
    for text in ("", "again"):
        opened, close = sqlite_store(tmp_path)
        if not text:
            add(opened, session("a"), "said before")
        assert found(opened, "before") == ["said before"]
        close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.text(max_size=30), max_size=4))
def test_any_words_are_searched_without_an_error(store: PastSessionStore, words: list[str]) -> None:
    store.search(words, 3)
    add(store, session("a\ud83d"), *words)
