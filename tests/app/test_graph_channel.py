"""The graphs as a channel of search: what links lead to, and the skills that fit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.embedded import embedded
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.graph_channel import GraphChannel
from recollect.app.opening import open_corpus, open_project
from recollect.app.project import Recollect
from recollect.bench import linked_project, sample_project
from recollect.graph.unified import GraphQuery
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.records.record import Link, LinkType
from recollect.retrieval import search as pipeline
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Settings
from recollect.storage.sqlite.index import SqliteIndex
from recollect.values import replaced

QUESTION = "invoices sent twice"
CAUSE, RULE, SKILL = "mem:the-worker-died", "mem:no-mail-without-a-key", "skill:outbox"


def skill(folder: Path, name: str, text: str) -> None:
    path = folder / ".claude" / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(folder: Path, reopen: Callable[[], Recollect]) -> Recollect:
    """Many memories that match a question's words, and answers that are a link away from the best."""
    skill(
        folder,
        "outbox",
        "---\nname: outbox\ndescription: Keeping letters from going out again\n"
        "governs: [mem:invoices-sent-twice]\n---\n# Outbox\nOne row for each letter.\n",
    )
    made = reopen()
    titles = ["Invoices sent twice", "The worker died", "No mail without a key"]
    for title in [*titles, *(f"Invoices of month {number}" for number in range(30))]:
        made.memories.save(draft(title), allow_repeat=True)
    made.memories.link("the-worker-died", Link(LinkType.CAUSED, UnifiedId("mem:invoices-sent-twice")))
    made.memories.link("invoices-sent-twice", Link(LinkType.DERIVED_FROM, UnifiedId(RULE)))
    return made


def ids(found: SearchResult) -> list[str]:
    return [str(hit.document.id) for hit in found.answer.hits]


def test_what_links_lead_to_and_a_fitting_skill_are_among_the_first_ten(project: Recollect) -> None:
    found = ids(project.find(Request(QUESTION)))

    assert found[0] == "mem:invoices-sent-twice"
    assert {CAUSE, RULE, SKILL} <= set(found)
    assert len([id for id in found if id.startswith("mem:invoices-of")]) >= 5


@requirement("graph:channel:search-only")
def test_a_prompt_gets_nothing_that_only_a_link_leads_to(project: Recollect) -> None:
    prompt = project.find(Request(QUESTION, mode="auto", threshold=0.0))

    assert ids(prompt)[0] == "mem:invoices-sent-twice"
    assert {CAUSE, RULE, SKILL}.isdisjoint(ids(prompt))


def test_a_hit_that_the_graph_brought_says_so_and_its_parts_add_up(project: Recollect) -> None:
    hits = project.find(Request(QUESTION)).answer.hits
    brought = next(hit for hit in hits if hit.document.id == CAUSE)

    assert [part.channel for part in brought.explanation.fused.parts] == ["graph"]
    for hit in hits:
        fused = hit.explanation.fused
        total = sum(part.scaled * part.weight for part in fused.parts) * (1 + fused.bonus)
        assert hit.score == pytest.approx(total / fused.scale)


@requirement("graph:channel:convergence")
def test_a_memory_and_a_skill_that_an_edge_joins_both_get_the_bonus(project: Recollect) -> None:
    bonus = {
        str(hit.document.id): hit.explanation.fused.bonus
        for hit in project.find(Request(QUESTION)).answer.hits
    }

    assert bonus["mem:invoices-sent-twice"] == bonus[SKILL] == 0.1
    assert bonus[CAUSE] == 0.0


def test_filters_hold_for_what_links_lead_to(project: Recollect) -> None:
    project.memories.retire("the-worker-died", "mended")

    assert CAUSE not in ids(project.find(Request(QUESTION)))
    decisions = Filters(categories=frozenset({"decision"}))
    assert SKILL not in ids(project.find(Request(QUESTION, filters=decisions)))
    only = Filters(categories=frozenset({"skill"}))
    assert ids(project.find(Request("outbox letters", filters=only))) == [SKILL]


@requirement("graph:channel:off")
def test_switched_off_a_search_is_what_it_was_without_graphs(
    project: Recollect, folder: Path, env: dict[str, str]
) -> None:
    off = open_project(folder, env=env | {"RECOLLECT_GRAPH_UNIFIED": "0"})

    assert ids(off.find(Request(QUESTION))) == ids(
        project.find(Request(QUESTION, channels=frozenset({"lexical", "files"})))
    )


@requirement("graph:channel:off")
def test_switched_off_every_answer_of_the_benches_is_the_same_to_the_byte() -> None:
    """Against the pipeline itself, which is given no graph; and without links, on is the same as off."""
    for documents, texts, has_links in (
        (sample_project.memories(), [prompt.text for prompt in sample_project.prompts()], False),
        (linked_project.documents(), [question.text for question in linked_project.questions()], True),
    ):
        off, on = (
            open_corpus(documents, env={"RECOLLECT_GRAPH_UNIFIED": flag, "HOME": "/nowhere"})
            for flag in "01"
        )
        off.index.update()
        index = embedded(off.index)
        told = [_bytes(off.find(Request(text, strategy="fts5_bm25"))) for text in texts]
        assert told == [_plain(text, index) for text in texts]
        changed = [
            _bytes(on.find(Request(text, strategy="fts5_bm25"))) != one
            for text, one in zip(texts, told, strict=True)
        ]
        assert any(changed) == has_links


def _bytes(found: SearchResult) -> str:
    rows = [(hit.document.id, hit.explanation.as_json()) for hit in found.answer.hits]
    return json.dumps(rows)


def _plain(text: str, index: SqliteIndex) -> str:
    answer = pipeline.search(text, index, Filters(), Settings())
    return json.dumps([(hit.document.id, hit.explanation.as_json()) for hit in answer.hits])


def test_authority_lifts_what_others_rest_on_by_a_little_and_nothing_else(
    project: Recollect, folder: Path, env: dict[str, str]
) -> None:
    weighed, plain = (
        open_project(folder, env=env | {"RECOLLECT_GRAPH_AUTHORITY": flag}).find(
            Request("no mail without a key")
        )
        for flag in "10"
    )

    before = {hit.document.id: hit.score for hit in plain.answer.hits}
    lifts = {hit.document.id: 1 + hit.explanation.authority for hit in weighed.answer.hits}
    assert all(1.0 <= lift <= 1.05 for lift in lifts.values())
    assert lifts[weighed.answer.hits[0].document.id] > 1
    best = max(before[id] * lift for id, lift in lifts.items())
    for hit in weighed.answer.hits:
        assert hit.score == pytest.approx(
            before[hit.document.id] * lifts[hit.document.id] / max(best, 1.0)
        )


@requirement("graph:channel:fails-soft")
def test_a_graph_that_fails_costs_one_note_and_not_the_search(
    project: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(project.skills, "search", broken)
    project.finder.graph = GraphChannel(project.finder.index, project.skills)

    found = project.find(Request(QUESTION))

    assert CAUSE in ids(found)
    assert SKILL not in ids(found)
    assert [note for note in found.notes if "skill graph" in note] == [
        "the skill graph failed (OSError: the disk is gone); the results do not include it"
    ]


def test_a_walk_that_is_too_slow_costs_a_warning_and_leaves_the_index_usable() -> None:
    centre, *others = (
        Document(UnifiedId(f"mem:m{number}"), f"Matter {number}", (), "", "2026-01-01T00:00:00Z")
        for number in range(3_000)
    )
    edge = (Link(LinkType.DERIVED_FROM, centre.id),)
    documents = [centre, *(replaced(one, links=edge) for one in others)]
    finder = open_corpus(documents, env={"HOME": "/nowhere"})
    edges = finder.index.reader().edges()

    with pytest.raises(TimeoutError), edges.limited(0.0):
        edges.all()
    assert len(edges.all()) == 2_999

    channel = GraphChannel(finder.index, None, seconds=0.0)
    query = GraphQuery("", tuple((one.id, 1.0) for one in documents[:10]))
    assert not channel.search(query).hits
    assert channel.warnings == ["the causal graph timed out; the results do not include it"]
    assert GraphChannel(finder.index, None, 60.0).search(query).hits


def test_an_interrupted_walk_leaves_the_index_as_it_was(project: Recollect) -> None:
    project.finder.graph = GraphChannel(project.finder.index, None, seconds=0.0)
    late = project.find(Request(QUESTION))
    project.finder.graph = GraphChannel(project.finder.index, None)

    assert "mem:invoices-sent-twice" in ids(late)
    assert CAUSE in ids(project.find(Request(QUESTION)))


def test_the_first_search_of_a_process_finds_what_the_next_one_does(
    project: Recollect, reopen: Callable[[], Recollect]
) -> None:
    """The skills are read while it is under way, and a memory may call its skill in another case."""
    project.memories.link("the-worker-died", Link(LinkType.IMPLEMENTS, UnifiedId("skill:OUTBOX")))
    opened = reopen()
    cold, warm = (_bytes(opened.find(Request("the worker died"))) for _ in range(2))

    assert SKILL in cold
    assert cold == warm


@pytest.mark.parametrize("graphs", ["0", "1"])
def test_each_flag_alone_changes_only_what_it_says(
    project: Recollect, folder: Path, env: dict[str, str], graphs: str
) -> None:
    def asked(**flags: str) -> list[tuple[str, float]]:
        given = {f"RECOLLECT_{name}": value for name, value in flags.items()}
        opened = open_project(folder, env=env | {"RECOLLECT_GRAPH_UNIFIED": graphs} | given)
        found = opened.find(Request(QUESTION, limit=50)).answer
        return [(str(hit.document.id), hit.score) for hit in found.hits]

    plain = asked()
    assert asked(SKILL_CACHE_TTL_MS="0") == plain
    assert sorted(asked(GRAPH_MMR="1")) == sorted(plain)
    lifted = dict(asked(GRAPH_AUTHORITY="1"))
    assert lifted.keys() == dict(plain).keys()
    assert all(score / 1.05 <= lifted[id] <= score * 1.05 for id, score in plain)
    assert (SKILL in dict(plain)) == (graphs == "1")


@requirement("graph:flags:unified-off")
@pytest.mark.parametrize(
    "flags", [{"GRAPH_AUTHORITY": "1"}, {"GRAPH_MMR": "1"}, {"GRAPH_AUTHORITY": "1", "GRAPH_MMR": "1"}]
)
def test_without_the_graphs_no_flag_of_theirs_changes_a_byte(
    project: Recollect, folder: Path, env: dict[str, str], flags: dict[str, str]
) -> None:
    for number in range(4):
        again = draft(f"No mail without a key, part {number}", Category.CONSTRAINT)
        project.memories.save(again, allow_repeat=True)

    def asked(unified: str, **flags: str) -> str:
        names = {f"RECOLLECT_{name}": value for name, value in flags.items()}
        opened = open_project(folder, env=env | {"RECOLLECT_GRAPH_UNIFIED": unified} | names)
        return _bytes(opened.find(Request("no mail without a key", limit=50)))

    assert asked("0", **flags) == asked("0")
    assert asked("1", **flags) != asked("1")
