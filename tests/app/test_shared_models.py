"""One loaded model for all clients of a user, with real brokers and real processes."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.storage.models.shared import endless_model, reranker_model, tiny_model
from tests.upstreams.processes import marked, wait_until_gone

from recollect.app.finder import run_model
from recollect.app.shared_models import SharedModels
from recollect.errors import ModelBusyError, ModelError
from recollect.storage.models.installed import InstalledModel, ModelFolder
from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest

WAIT = 60.0  # seconds for a process to start on a busy machine, and to answer
NewClient = Callable[[], SharedModels]

TEXTS = ["ledger", "", "数据库", "half a pair \ud800", "word " * 3000]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstalledModel:
    source = tiny_model(tmp_path_factory.mktemp("tiny"))
    return ModelFolder(tmp_path_factory.mktemp("models")).install("bge-m3", folder=source)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Path]:
    """The folder of a broker, which is gone when the test is over, and its model with it."""
    yield tmp_path
    if state := ask(tmp_path, ControlRequest("states")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(state["pid"], signal.SIGTERM)
    assert wait_until_gone(str(tmp_path)) == set()


@pytest.fixture
def new_client(broker: Path) -> Iterator[NewClient]:
    """Clients that may start a broker."""
    clients: list[SharedModels] = []

    def client() -> SharedModels:
        clients.append(SharedModels(broker, lambda: True))
        return clients[-1]

    yield client
    for opened in clients:
        opened.close()


def states(broker: Path) -> list[dict[str, Any]]:
    answer = ask(broker, ControlRequest("states"))
    return [] if answer is None else list(answer["servers"])


@requirement("gateway:broker:model")
def test_clients_share_one_loaded_model_and_get_the_vectors_that_it_would_give_them(
    broker: Path, new_client: NewClient, model: InstalledModel
) -> None:
    own = run_model(model)
    clients = [new_client().run(model) for _ in range(3)]
    queries = [[client.query(text).tobytes() for text in TEXTS] for client in clients]
    passages = [[row.tobytes() for row in client.passages(TEXTS)] for client in clients]
    [state] = states(broker)

    assert queries == [[own.query(text).tobytes() for text in TEXTS]] * 3
    assert passages == [[row.tobytes() for row in own.passages(TEXTS)]] * 3
    assert (state["clients"], state["failures"]) == (3, 0)
    assert {client.version for client in clients} == {model.version}


@requirement("gateway:broker:model")
def test_a_model_whose_process_is_killed_or_whose_broker_is_runs_again(
    broker: Path, new_client: NewClient, model: InstalledModel
) -> None:
    client = new_client().run(model)
    vector = client.query("ledger").tobytes()
    answer = ask(broker, ControlRequest("states"))
    assert answer is not None
    for guardian in (answer["servers"][0]["pid"], answer["pid"]):
        os.kill(guardian, signal.SIGKILL)

        assert client.query("ledger").tobytes() == vector
    assert len(states(broker)) == 1


def test_without_a_broker_a_client_that_may_not_start_one_runs_the_model_itself(
    broker: Path, model: InstalledModel
) -> None:
    client = SharedModels(broker, lambda: False).run(model)

    assert client.query("ledger").tobytes() == run_model(model).query("ledger").tobytes()
    assert marked(str(broker)) == set()


def test_a_model_that_was_replaced_meanwhile_is_refused_as_it_is_without_a_broker(
    new_client: NewClient, tmp_path: Path
) -> None:
    folder = ModelFolder(tmp_path / "models")
    model = folder.install("bge-m3", folder=tiny_model(tmp_path / "one"))
    folder.install("bge-m3", folder=tiny_model(tmp_path / "other", seed=2))
    reasons = []
    for run in (run_model, new_client().run):
        with pytest.raises(ModelError) as raised:
            run(model).query("ledger")
        reasons.append(str(raised.value))

    assert reasons[0] == reasons[1]


def test_two_versions_of_a_model_are_never_mixed(
    broker: Path, new_client: NewClient, model: InstalledModel, tmp_path: Path
) -> None:
    source = tiny_model(tmp_path / "source", seed=2)
    other = ModelFolder(tmp_path / "models").install("bge-m3", folder=source)
    client = new_client()

    assert client.run(model).query("a").tobytes() == run_model(model).query("a").tobytes()
    assert client.run(other).query("a").tobytes() == run_model(other).query("a").tobytes()
    assert len(states(broker)) == 2


@requirement("retrieval:rerank:server")
def test_clients_share_one_reranker_and_get_the_numbers_that_it_would_give_them(
    broker: Path, new_client: NewClient, tmp_path: Path
) -> None:
    source = reranker_model(tmp_path / "source", ["ledger", "quota"])
    model = ModelFolder(tmp_path / "models").install("pairs", role="reranker", folder=source)
    texts = ["a ledger", "a quota of the ledger", "half a pair \ud800", ""]

    clients = [new_client().rerank(model) for _ in range(2)]
    scores = [client.scores("ledger quota", texts, WAIT) for client in clients]
    alone = SharedModels(tmp_path / "nowhere", lambda: False).rerank(model)
    [state] = states(broker)

    assert scores == [[1, 2, 0, 0]] * 2
    assert alone.scores("ledger quota", texts, WAIT) == scores[0]
    assert (state["clients"], state["failures"]) == (2, 0)


@requirement("retrieval:rerank:in-time")
def test_a_reranker_that_is_late_is_stopped_in_its_process_which_goes_on(
    broker: Path, new_client: NewClient, tmp_path: Path
) -> None:
    folder = ModelFolder(tmp_path / "models")
    source = reranker_model(tmp_path / "source", ["ledger"])
    installed = folder.install("pairs", role="reranker", folder=source).folder
    endless = endless_model(tmp_path / "endless") / "model.onnx"
    (installed / "model.onnx").write_bytes(endless.read_bytes())
    model = folder.get("pairs", "reranker")
    assert model is not None
    client = new_client().rerank(model)

    for _ in range(3):
        with pytest.raises(ModelBusyError, match=r"'pairs' .* within 0\.05 s"):
            client.scores("ledger", ["a ledger"], 0.05)
    [state] = states(broker)

    assert state["failures"] == 0
