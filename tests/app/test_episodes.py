"""Episodes: stored without secrets, and found again by the same request or by meaning."""

from pathlib import Path

import pytest
from tests.gateway.tools import CATALOGUE
from tests.requirements import requirement
from tests.storage.models.shared import tiny_model

from recollect.app.episodes import EpisodeSearch, learn_episode
from recollect.app.finder import embedder_of
from recollect.app.tool_search import ToolSearch
from recollect.learning.episodes import EarlierEpisode, Episode, similar
from recollect.learning.ports import EpisodeStore
from recollect.learning.trace import context_digest
from recollect.records.json_format import Json
from recollect.redaction.gate import gate
from recollect.storage.models.embedder import Embedder
from recollect.storage.models.installed import ModelFolder
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow import events
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState

AT = "2026-01-01T00:00:00Z"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return StateDatabase(str(tmp_path / "state.db")).episodes


def ended(intent: str, error: str) -> RunState:
    tasks: list[Json] = [{"id": "a", "tool": "s:a"}, {"id": "b", "tool": "s:b", "after": ["a"]}]
    return reduced(
        [
            events.RunStarted({"tasks": tasks, "intent": intent, "decide": "never"}),
            events.TaskReady("a"),
            events.TaskStarted("a", 1, "read", {}),
            events.TaskFailed("a", error, "tool"),
            events.TaskSkipped("b", "a failed"),
            events.RunFinished("failed"),
        ]
    )


def episode(intent: str) -> Episode:
    return Episode(context_digest(intent), AT, intent, ("s:a",), "succeeded")


@requirement("learning:episodes:found")
def test_a_run_is_stored_with_where_it_failed_and_without_secrets(store: EpisodeStore) -> None:
    learn_episode(store, ended(f"push with {SECRET}", f"{'x' * 280} refused {SECRET}"), AT, gate)

    [stored] = store.latest(9)
    assert (stored.planned, stored.outcome, stored.failed_at) == (("s:a", "s:b"), "failed", "s:a")
    assert "ghp_" not in stored.intent + stored.error
    found = EpisodeSearch(store).find(f"Push  with {SECRET}", ToolSearch(CATALOGUE))
    assert found == EarlierEpisode(stored, is_same=True)


def test_a_run_that_does_not_say_what_it_is_for_leaves_nothing(store: EpisodeStore) -> None:
    learn_episode(store, ended(" ", "no"), AT, gate)

    assert store.latest(9) == []


def test_only_a_request_that_is_near_enough_is_similar() -> None:
    near, far = episode("near"), episode("far")

    assert similar([far, near], {"near": 0.9, "far": 0.2}) == EarlierEpisode(near, is_same=False)
    assert similar([far, near], {"near": 0.5, "far": None}) is None
    assert similar([], {}) is None


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """A model that knows bytes only."""
    folder = tmp_path_factory.mktemp("models")
    model = ModelFolder(folder / "installed").install("bge-m3", folder=tiny_model(folder / "tiny"))
    load = embedder_of(model, folder / "vectors")
    assert load is not None
    return load()


@requirement("learning:episodes:found")
def test_a_similar_request_is_found_by_meaning_where_there_is_a_model(
    store: EpisodeStore, tiny: Embedder
) -> None:
    tools = ToolSearch(CATALOGUE[:2], lambda: tiny)
    tools.embed()
    store.add(episode("file an issue about the crash"))
    store.add(episode("0123456789"))

    found = EpisodeSearch(store).find("file an issue about the crash.", tools)
    assert found == EarlierEpisode(episode("file an issue about the crash"), is_same=False)
    assert EpisodeSearch(store).find("file an issue about the crash.", ToolSearch(CATALOGUE)) is None
