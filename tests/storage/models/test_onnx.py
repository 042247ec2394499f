"""Running models on onnxruntime."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.storage.models.shared import WIDTH
from tokenizers import Tokenizer

from recollect.errors import ModelError
from recollect.interpreter import python
from recollect.storage.models.installed import ModelFolder
from recollect.storage.models.manifest import MODEL_FILE, TOKENIZER_FILE
from recollect.storage.models.onnx import OnnxEmbedder


@pytest.fixture(scope="module")
def real(models: Path) -> OnnxEmbedder:
    found = ModelFolder(models).get()
    assert found is not None
    return OnnxEmbedder(found)


@pytest.fixture(scope="module")
def small(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    return OnnxEmbedder(ModelFolder(tmp_path_factory.mktemp("shelf")).install("bge-m3", folder=tiny))


def test_the_default_model_finds_what_means_the_same(real: OnnxEmbedder) -> None:
    query = real.query("how do users log in?")
    login, shed = real.passages(
        ["Authentication uses signed session cookies.", "Paint the shed green."]
    )

    assert query.shape == (384,)
    assert float(query @ login) > float(query @ shed) + 0.05


def test_the_default_model_gives_unit_vectors_the_same_each_time(real: OnnxEmbedder) -> None:
    texts = ["", "one", "数据库", "word " * 5000]

    first, again = list(real.passages(texts)), list(real.passages(texts[::-1]))[::-1]

    for one, other in zip(first, again, strict=True):
        assert np.linalg.norm(one) == pytest.approx(1, abs=1e-5)
        assert one.tobytes() == other.tobytes()
    assert real.query("one").tobytes() != first[1].tobytes(), "a query has a prefix"


@requirement("retrieval:models:wide")
def test_a_model_of_1024_numbers_without_a_prefix_is_read(small: OnnxEmbedder) -> None:
    one, same, other = small.passages(["ledger", "ledger", "zzz"])

    assert one.shape == (WIDTH,)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-5)
    assert one.tobytes() == same.tobytes() == small.query("ledger").tobytes()
    assert float(one @ other) < 0.5 < float(one @ small.query("ledgers"))


def test_pooling_is_the_first_token_or_the_mean(tiny: Path, tmp_path: Path) -> None:
    shelf = ModelFolder(tmp_path)

    cls, mean = (
        OnnxEmbedder(shelf.install(pooling, folder=tiny, pooling=pooling)).query("abc")
        for pooling in ("cls", "mean")
    )

    assert np.allclose(cls, mean, atol=1e-6), "<s> has no vector of its own, so both are the mean"
    prefixed = OnnxEmbedder(shelf.install("p", folder=tiny, query_prefix="q: "))
    assert prefixed.query("abc").tobytes() == next(prefixed.passages(["q: abc"])).tobytes()


@given(st.text(st.characters(), max_size=50))
@settings(max_examples=50)
def test_any_text_can_be_read(small: OnnxEmbedder, text: str) -> None:
    assert np.isfinite(small.query(text)).all()


def test_a_model_that_was_spoiled_says_what_to_do(tiny: Path, tmp_path: Path) -> None:
    installed = ModelFolder(tmp_path).install("mine", folder=tiny)
    (installed.folder / MODEL_FILE).write_bytes(b"spoiled")

    with pytest.raises(
        ModelError, match=r"'mine' cannot be run .*`recollect model install mine --from FOLDER`"
    ):
        OnnxEmbedder(installed)


def test_a_model_whose_tokenizer_is_another_models_says_what_to_do(tiny: Path, tmp_path: Path) -> None:
    installed = ModelFolder(tmp_path).install("mine", folder=tiny)
    tokenizer = Tokenizer.from_file(str(tiny / TOKENIZER_FILE))
    tokenizer.add_tokens(["ledger"])  # whose number the model has no row for
    tokenizer.save(str(installed.folder / TOKENIZER_FILE))
    embedder = OnnxEmbedder(installed)

    assert embedder.query("quota").shape == (WIDTH,)
    with pytest.raises(ModelError, match="recollect model install mine"):
        embedder.query("the ledger")


@requirement("trust:model:no-telemetry")
def test_the_library_that_runs_models_stores_nothing_of_its_own(tmp_path: Path) -> None:
    """A process of its own, because the library is told before it is imported."""
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    command = python("-c", "import recollect.storage.models.onnx")

    subprocess.run(command, env=env, cwd=tmp_path, check=True, timeout=60)

    assert list(tmp_path.rglob("*")) == []
