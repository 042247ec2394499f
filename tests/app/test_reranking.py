"""The reranker of a server: in time or not at all, and never instead of an answer."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.retrieval.corpora import corpus, doc
from tests.samples import draft
from tests.storage.models.shared import reranker_model

from recollect.app import reranking
from recollect.app.bounded_model import BackgroundRun, BoundedCrossEncoder
from recollect.app.finder import Finder, run_model
from recollect.app.models import open_models
from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.reranking import Reranking, run_reranker
from recollect.errors import ModelBusyError, ModelError
from recollect.records.json_format import Json
from recollect.retrieval.fusion import RERANKED
from recollect.retrieval.request import Request

WAIT = 20.0  # seconds: that is a hang, whatever machine it is
PATIENT = BackgroundRun(run_model, WAIT, run_reranker, patience=1000)
DOCUMENTS = (
    doc("one", "Ledger shard", "The ledger is in one shard."),
    doc("two", "Shard names of a ledger", "A shard and its ledger are named after a quota."),
)


class Scripted:
    """Stands for a cross-encoder: answers or raises as it is told, and counts who asks."""

    def __init__(self, error: ModelError | None = None) -> None:
        self.error, self.asked = error, 0

    def scores(self, _query: str, texts: Sequence[str], _seconds: float) -> list[float]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return [float("quota" in text) for text in texts]


def finder(model: Scripted, seconds: float = WAIT, *, latin_only: bool = False) -> Finder:
    own = Reranking("mine", lambda: model, seconds, seconds, latin_only)
    return corpus(*DOCUMENTS, reranking=own)


def first(found: Finder, text: str = "ledger shard") -> str:
    return found.find(Request(text)).answer.hits[0].document.id


@requirement("retrieval:rerank:late")
def test_a_busy_reranker_leaves_the_order_and_a_note() -> None:
    model = Scripted()
    search = finder(model)
    assert first(search) == "mem:two"

    model.error = ModelBusyError("mine", 0.05)
    result = search.find(Request("ledger shard"))

    assert result.answer.hits[0].document.id == "mem:one"
    assert result.notes == (f"hits are not reranked: {model.error}",)
    model.error = None
    assert first(search) == "mem:two", "the next request asks again"


@requirement("retrieval:rerank:in-time")
def test_a_prompt_whose_search_took_the_time_does_not_ask_the_reranker() -> None:
    model = Scripted()
    request = Request("why is the ledger in one shard", mode="auto", threshold=0.0)

    late = finder(model, seconds=0.0).find(request)
    in_time = finder(model).find(request)

    assert model.asked == 1
    assert "hits are not reranked" in late.notes[0]
    assert in_time.notes == ()
    assert late.answer.verdict == in_time.answer.verdict


@requirement("retrieval:rerank:rests")
def test_a_reranker_that_is_late_again_and_again_is_asked_less_and_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(reranking, "monotonic", lambda: now)
    model = Scripted(ModelBusyError("slow", 0.05))
    search = finder(model)

    def asked_after(seconds: float, requests: int) -> int:
        nonlocal now
        now += seconds
        before = model.asked
        for _ in range(requests):
            search.find(Request("ledger shard"))
        return model.asked - before

    assert asked_after(0, requests=10) == 3
    assert [asked_after(seconds, requests=2) for seconds in (1.1, 1.1, 2.1, 4.1)] == [1, 0, 1, 1]
    for _ in range(10):
        asked_after(61, requests=1)
    assert [asked_after(seconds, requests=2) for seconds in (59, 2)] == [0, 1], "a minute at most"
    note = search.find(Request("ledger shard")).notes[0]
    assert "answers in a row were late or failed" in note

    model.error = None
    assert asked_after(61, requests=5) == 5, "one answer in time, and it is asked as before"


def test_its_state_says_how_many_requests_it_was_in_time_for() -> None:
    model = Scripted()
    search = finder(model)
    assert search.reranking is not None
    assert search.reranking.state == "mine"
    first(search)
    model.error = ModelBusyError("mine", 0.05)
    first(search)

    assert search.reranking.state == "mine, in time for 1 of 2 requests"


def test_a_reranker_of_english_reads_no_other_script() -> None:
    model = Scripted()
    search = finder(model, latin_only=True)

    search.find(Request("журнал ledger аккаунт сегмент"))
    assert model.asked == 0
    first(search)
    assert model.asked == 1


def test_a_page_behind_the_hits_that_are_read_does_not_wait_for_it() -> None:
    model = Scripted()
    finder(model).find(Request("ledger shard", offset=RERANKED))

    assert model.asked == 0


def test_the_legacy_strategy_stays_as_it_was() -> None:
    model = Scripted()
    finder(model).find(Request("ledger shard", strategy="title_tags"))

    assert model.asked == 0


@requirement("retrieval:rerank:in-time")
def test_nobody_waits_until_a_reranker_is_loaded() -> None:
    go, loaded = threading.Event(), threading.Event()

    def load() -> Scripted:
        go.wait(WAIT)
        loaded.set()
        return Scripted()

    bounded = BoundedCrossEncoder("mine", load)
    with pytest.raises(ModelBusyError, match=r"within 0\.01 s"):
        bounded.scores("ledger", ["quota"], 0.01)
    go.set()
    assert loaded.wait(WAIT)

    assert bounded.scores("ledger", ["quota", "x"], WAIT) == [1.0, 0.0]


def test_what_was_late_is_no_failure_of_the_next_query() -> None:
    go, done = threading.Event(), threading.Event()

    class Late(Scripted):
        def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
            if go.is_set():
                return super().scores(query, texts, seconds)
            go.wait(WAIT)
            done.set()
            raise ModelBusyError("mine", seconds)

    bounded = BoundedCrossEncoder("mine", Late)
    with pytest.raises(ModelBusyError):
        bounded.scores("ledger", ["quota"], 0.01)
    go.set()
    assert done.wait(WAIT)

    assert bounded.scores("ledger", ["quota"], WAIT) == [1.0]


@pytest.fixture
def shop(folder: Path, env: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A project with two memories about one subject, whose user has installed a reranker."""
    project = open_project(folder, env=env)
    for title, text in (("Ledger in a shard", "The ledger shard."), ("Names", "A ledger shard quota.")):
        content: dict[str, Json] = {"status": "accepted", "context": "-", "decision": text}
        content["rationale"] = ["-"]
        project.memories.save(draft(title, content=content), allow_repeat=True)
    source = reranker_model(tmp_path / "source" / "pairs", ["quota"])
    open_models(env).install(role="reranker", folder=source)
    return env


def titles(project: Recollect) -> list[str]:
    hits = project.find(Request("ledger shard quota")).answer.hits
    return [hit.document.title for hit in hits]


@requirement("retrieval:rerank:off")
@requirement("retrieval:rerank:server")
def test_an_installed_reranker_is_used_by_servers_and_by_no_command(
    folder: Path, shop: dict[str, str]
) -> None:
    command = open_project(folder, env=shop)
    server = open_project(folder, env=shop, run=PATIENT)
    answer = server.find(Request("ledger shard quota")).answer

    assert command.search.finder.reranking is None
    assert answer.hits[0].document.title == "Names"
    assert answer.hits[0].explanation.as_json()["reranked"]["raw"] == 1.0
    assert server.search.reranker == "pairs, in time for 1 of 1 requests"


@requirement("retrieval:rerank:off")
def test_who_installed_none_has_none(folder: Path, env: dict[str, str]) -> None:
    server = open_project(folder, env=env, run=PATIENT)

    assert server.search.finder.reranking is None
    assert server.search.reranker == ""


@requirement("retrieval:rerank:off")
def test_without_its_reranker_a_user_searches_as_before(folder: Path, shop: dict[str, str]) -> None:
    plain = titles(open_project(folder, env=shop))
    open_models(shop).remove("pairs")
    server = open_project(folder, env=shop, run=PATIENT)

    assert server.search.finder.reranking is None
    assert server.search.reranker == ""
    assert titles(server) == plain


@requirement("trust:model:installed-only")
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_project_can_name_a_reranker_of_the_user_and_none_by_its_path(
    folder: Path, shop: dict[str, str], is_absolute: bool
) -> None:
    config = open_project(folder, env=shop).root / "memory-config.json"
    planted = next(Path(shop["HOME"]).rglob("models/pairs"))
    path = str(planted) if is_absolute else f"../{planted.name}/../pairs"

    config.write_text(json.dumps({"retrieval": {"reranker": path}}))
    refused = open_project(folder, env=shop, run=PATIENT)
    config.write_text(json.dumps({"retrieval": {"reranker": "none"}}))
    switched_off = open_project(folder, env=shop, run=PATIENT)
    config.write_text(json.dumps({"retrieval": {"reranker": "pairs"}}))
    named = open_project(folder, env=shop, run=PATIENT)

    assert refused.search.finder.reranking is None
    assert "a project may name only a model that you have installed" in refused.search.reranker
    assert refused.search.reranker in refused.find(Request("ledger")).notes
    assert (switched_off.search.finder.reranking, switched_off.search.reranker) == (None, "")
    assert named.search.finder.reranking is not None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("absent", "`recollect model install absent --role reranker --from FOLDER` installs it"),
        ("ms-marco-minilm-l6-v2", "`recollect model install ms-marco-minilm-l6-v2` installs it"),
    ],
)
def test_a_configured_reranker_that_is_not_installed_is_named_with_the_remedy(
    folder: Path, env: dict[str, str], name: str, expected: str
) -> None:
    server = open_project(folder, env=env | {"RECOLLECT_RERANKER": name}, run=PATIENT)

    result = server.find(Request("anything"))

    assert expected in result.notes[0]
    assert "RECOLLECT_RERANKER" in result.notes[0]
    assert server.search.reranker == result.notes[0]


@requirement("retrieval:rerank:late")
def test_a_reranker_that_was_spoiled_costs_no_answer(folder: Path, shop: dict[str, str]) -> None:
    plain = titles(open_project(folder, env=shop))
    next(Path(shop["HOME"]).rglob("pairs/model.onnx")).write_bytes(b"spoiled")

    result = open_project(folder, env=shop, run=PATIENT).find(Request("ledger shard quota"))

    assert [hit.document.title for hit in result.answer.hits] == plain
    assert "`recollect model install pairs --role reranker --from FOLDER` repairs it" in result.notes[0]
