"""The hand-made set: what is in it, how it is measured, and what the gate does with it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from tests.samples import document

from recollect.app.opening import open_corpus
from recollect.bench import sample_project
from recollect.bench.gate import GateOutcome, KindOutcome, by_kind, calibrated, outcome
from recollect.bench.metrics import recall, reciprocal_rank
from recollect.bench.sample_project import ANSWERABLE, NEGATIVE, Prompt, PromptRun
from recollect.errors import InvalidError, InvalidMemoryError
from recollect.records.categories import Category
from recollect.retrieval.gate import LEXICAL
from recollect.retrieval.query import FEW, KEPT_WHOLE, meaningful, parse
from recollect.retrieval.request import Request


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own settings and model stay out of it."""
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[PromptRun]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(tmp_path_factory.mktemp("home")))
        return sample_project.run_prompts("fts5_bm25")


def at_the_threshold(runs: list[PromptRun]) -> GateOutcome:
    return outcome(sample_project.cases(runs), LEXICAL.threshold)


def injected_rate(runs: list[PromptRun], *kinds: str) -> float:
    return fmean(bool(run.injected) for run in runs if run.prompt.kind in kinds)


def rankings() -> list[tuple[Prompt, list[str]]]:
    """What search finds for each answerable prompt."""
    finder = open_corpus(sample_project.memories())
    asked = [prompt for prompt in sample_project.prompts() if prompt.kind in ANSWERABLE]
    answers = [finder.find(Request(prompt.query, strategy="fts5_bm25")).answer for prompt in asked]
    found = [[str(hit.document.id) for hit in answer.hits] for answer in answers]
    return list(zip(asked, found, strict=True))


def recall_at_ten(ranked: list[tuple[Prompt, list[str]]]) -> float:
    return fmean(recall(ids, dict.fromkeys(prompt.relevant, 1), 10) for prompt, ids in ranked)


def small(folder: Path, prompts: list[dict[str, Any]], *titles: str) -> Path:
    """A set of its own: memories of these titles, whose ids are their first words."""
    rows = [
        document(id=title.split()[0].lower(), title=title, tags=[title.split()[0].lower()])
        for title in titles
    ]
    (folder / "memories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "prompts.json").write_text(json.dumps(prompts))
    return folder


def test_the_memories_are_of_all_six_categories_and_all_different() -> None:
    memories = sample_project.memories()
    counts = Counter(memory.category for memory in memories)

    assert len(memories) >= 60
    assert set(counts) == {category.value for category in Category}
    assert min(counts.values()) >= 6
    assert len({memory.id for memory in memories}) == len({memory.title for memory in memories})
    assert all(memory.body and memory.tags for memory in memories)


def test_the_prompts_cover_every_dimension() -> None:
    counts = Counter(prompt.kind for prompt in sample_project.prompts())
    wanted = {"category": 12, "cross": 8, "specific": 8, "follow_up": 6, "partial": 8, "typed": 12}
    wanted |= {"long": 25, "long_unrelated": 12, "long_near_miss": 10}

    assert set(counts) == {*ANSWERABLE, *NEGATIVE}
    assert {kind: counts[kind] for kind in wanted if counts[kind] < wanted[kind]} == {}
    assert sum(counts[kind] for kind in NEGATIVE) >= 25
    assert len({prompt.id for prompt in sample_project.prompts()}) == sum(counts.values())


def test_a_prompt_is_called_long_when_it_is_not_searched_for_whole() -> None:
    index = open_corpus(sample_project.memories()).index.update()

    for prompt in sample_project.prompts():
        said = parse(prompt.query, index.frequencies, index.size).word_count
        assert (said > KEPT_WHOLE) == ("long" in prompt.kind), prompt.id


def test_every_specific_prompt_has_a_vague_one_beside_it() -> None:
    names = {
        kind: {
            prompt.id.removesuffix(f"-{kind}")
            for prompt in sample_project.prompts()
            if prompt.kind == kind
        }
        for kind in ("specific", "vague")
    }

    assert names["specific"] == names["vague"]


def test_a_follow_up_is_answered_only_with_the_turns_before_it() -> None:
    prompts = [prompt for prompt in sample_project.prompts() if prompt.kind == "follow_up"]
    finder = open_corpus(sample_project.memories())

    def found(prompt: Prompt) -> float:
        answer = finder.find(Request(prompt.query, strategy="fts5_bm25", limit=3)).answer
        return recall([hit.document.id for hit in answer.hits], dict.fromkeys(prompt.relevant, 1), 3)

    alone = [replace(prompt, turns=()) for prompt in prompts]
    assert all(prompt.turns and meaningful(prompt.text) <= FEW for prompt in prompts)
    assert sum(map(found, prompts)) / len(prompts) >= 0.9
    assert sum(map(found, alone)) / len(alone) <= 0.4


def test_search_by_words_finds_nearly_everything() -> None:
    ranked = rankings()
    partial = [(prompt, ids) for prompt, ids in ranked if prompt.kind == "partial"]
    forbidden = [prompt.forbidden & {*ids[:3]} for prompt, ids in ranked if prompt.forbidden]
    firsts = (reciprocal_rank(ids, dict.fromkeys(prompt.relevant, 1), 10) for prompt, ids in ranked)

    assert len(ranked) >= 55
    assert recall_at_ten(ranked) >= 0.9
    assert fmean(firsts) >= 0.85
    assert recall_at_ten(partial) >= 0.9
    assert fmean(map(bool, forbidden)) <= 0.35


def test_the_gate_speaks_when_it_should_and_is_right(runs: list[PromptRun]) -> None:
    at = at_the_threshold(runs)

    assert at.injected_rate >= 0.6
    assert (at.precision or 0.0) >= 0.75
    assert (at.relevant_share or 0.0) >= 0.5
    assert 0.3 <= 1 - injected_rate(runs, *ANSWERABLE, *NEGATIVE) <= 0.7


def test_the_gate_is_silent_on_other_subjects_and_on_talk_about_any_work(
    runs: list[PromptRun],
) -> None:
    assert injected_rate(runs, "unrelated", "generic", "long_unrelated") <= 0.10


def test_the_gate_judges_long_prompts_as_well_as_short_ones(runs: list[PromptRun]) -> None:
    assert injected_rate(runs, "long") >= 0.6
    assert injected_rate(runs, "long_unrelated") <= 0.10
    assert injected_rate(runs, "long_near_miss") <= 0.35


def test_the_measures_of_a_small_set_are_those_worked_out_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "ledger shard replica quorum"
    rows: list[dict[str, Any]] = [
        {"id": "1", "kind": "typed", "text": told, "relevant": ["ledger"], "forbidden": ["ledger"]},
        {"id": "2", "kind": "typed", "text": told, "relevant": ["parser"], "forbidden": ["parser"]},
        {"id": "3", "kind": "vague", "text": "nothing of it", "relevant": ["parser"]},
        {"id": "4", "kind": "near_miss", "text": told, "relevant": []},
        {"id": "5", "kind": "unrelated", "text": "zebra crossing", "relevant": []},
    ]
    titles = ("Ledger shard replica quorum", "Parser of the invoice", "Other things")
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, rows, *titles))

    runs = sample_project.run_prompts("fts5_bm25")
    at = at_the_threshold(runs)

    # The first is answered, the second is given the same and wants something else, the third finds nothing.
    assert at.injected_rate == pytest.approx(2 / 3)
    assert at.precision == 1 / 2
    assert at.relevant_share == 1 / 2
    assert at.false_inject_rate == 1 / 2
    assert by_kind(sample_project.cases(runs), calibrated("fts5_bm25")) == {
        "typed": KindOutcome(2, 1.0, 0.5),
        "vague": KindOutcome(1, 0.0, None),
        "near_miss": KindOutcome(1, 1.0, 0.0),
        "unrelated": KindOutcome(1, 0.0, None),
    }


def test_cases_give_the_gate_the_same_numbers(runs: list[PromptRun]) -> None:
    cases = sample_project.cases(runs)
    passed = min(run.verdict.probability for run in runs if run.verdict.passed)

    at = outcome(cases, passed)

    assert at.injected_rate == pytest.approx(injected_rate(runs, *ANSWERABLE))
    assert at.false_inject_rate == pytest.approx(injected_rate(runs, *NEGATIVE))
    assert len(sample_project.cases(runs, "generic")) == sum(
        run.prompt.kind == "generic" for run in runs
    )
    assert [case.signals for case in cases] == [run.verdict.signals for run in runs]


def test_other_prompts_can_be_put_to_the_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, [], "Ledger shard", "Parser"))

    tried = sample_project.run_prompts("fts5_bm25", sample_project.strangers(["ledger shard", "zebra"]))

    assert [case.answerable for case in sample_project.cases(tried)] == [False, False]
    assert [one.shown for one in tried] == [("mem:ledger",), ()]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"kind": "typed", "relevant": ["gone"]}, "'mem:gone', which is not a memory"),
        ({"kind": "typed", "relevant": []}, "kind 'typed'"),
        ({"kind": "generic", "relevant": ["ledger"]}, "kind 'generic'"),
        ({"kind": "typed", "relevant": ["ledger"], "forbidden": ["gone"]}, "'mem:gone'"),
    ],
)
def test_a_prompt_that_contradicts_the_set_is_refused(
    row: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": "p", "text": "ledger", **row}]
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, rows, "Ledger"))

    with pytest.raises(InvalidError, match=f"'p'.*{said}"):
        sample_project.prompts()


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("kind: long\nrelevant: gone\n\nledger", "'mem:gone', which is not a memory"),
        ("kind: long\n\nledger", "kind 'long'"),
        ("ledger of no kind", "kind None"),
    ],
)
def test_a_page_that_contradicts_the_set_is_refused(
    page: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, [], "Ledger"))
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / "p.txt").write_text(page)

    with pytest.raises(InvalidError, match=f"'p'.*{said}"):
        sample_project.prompts()


def test_a_page_is_a_prompt_with_its_kind_and_the_relevant_ids_on_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, [], "Ledger", "Parser"))
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / "both.txt").write_text(
        "kind: long\nrelevant: ledger parser\n\none\n\ntwo: 3\n"
    )

    (prompt,) = sample_project.prompts()

    relevant = frozenset({"mem:ledger", "mem:parser"})
    assert prompt == Prompt("both", "long", "one\n\ntwo: 3", (), relevant, frozenset())


def test_a_memory_that_is_none_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_project, "FOLDER", small(tmp_path, [], "Ledger", "Parser"))
    lines = (tmp_path / "memories.jsonl").read_text().splitlines()
    (tmp_path / "memories.jsonl").write_text(lines[0] + "\n" + '{"id": "x"}\n')

    with pytest.raises(InvalidMemoryError, match=r"memories\.jsonl:2"):
        sample_project.memories()
