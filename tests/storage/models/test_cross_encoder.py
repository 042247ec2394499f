"""Running rerankers on onnxruntime."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.storage.models.shared import endless_model, reranker_model
from tokenizers import Tokenizer

from recollect.errors import ModelBusyError, ModelError
from recollect.storage.models.cross_encoder import OnnxCrossEncoder
from recollect.storage.models.installed import InstalledModel, ModelFolder
from recollect.storage.models.manifest import PAIR_TOKENS, TOKENIZER_FILE, Reading

WAIT = 20.0  # seconds: that is a hang, whatever machine it is
WORDS = ["ledger", "quota", "shard"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> InstalledModel:
    folder = reranker_model(tmp_path_factory.mktemp("pairs"), WORDS)
    return ModelFolder(tmp_path_factory.mktemp("shelf")).install("mine", role="reranker", folder=folder)


@pytest.fixture(scope="module")
def reranker(installed: InstalledModel) -> OnnxCrossEncoder:
    return OnnxCrossEncoder(installed)


@requirement("retrieval:rerank:pairs")
def test_a_query_and_a_text_are_read_together(reranker: OnnxCrossEncoder) -> None:
    texts = ["the ledger of a shard", "ledger", "ledger ledger", "anything else", ""]

    assert reranker.scores("ledger shard", texts, WAIT) == [2, 1, 2, 0, 0]
    assert reranker.scores("nothing that it knows", texts, WAIT) == [0, 0, 0, 0, 0]
    assert reranker.scores("", texts[:1], WAIT) == [0]
    assert reranker.scores("ledger", [], WAIT) == []


@requirement("retrieval:rerank:pairs")
@given(
    st.lists(st.text(st.characters()) | st.sampled_from(WORDS), max_size=4), st.text(st.characters())
)
@settings(max_examples=50, deadline=None)
def test_no_text_changes_the_number_of_another_and_any_text_can_be_read(
    reranker: OnnxCrossEncoder, texts: list[str], query: str
) -> None:
    together = reranker.scores(query, texts, WAIT)

    assert together == [score for text in texts for score in reranker.scores(query, [text], WAIT)]


@pytest.mark.parametrize("repeated", [1, PAIR_TOKENS, 50 * PAIR_TOKENS])
def test_a_pair_is_cut_to_what_the_model_reads(reranker: OnnxCrossEncoder, repeated: int) -> None:
    """The longer text is cut first, so a long one leaves the short one complete."""
    [long_text] = reranker.scores("quota ledger", ["ledger " * repeated], WAIT)
    [long_query] = reranker.scores("ledger " * repeated, ["quota ledger"], WAIT)

    most = PAIR_TOKENS - 3 - 2  # special tokens, and the words of the shorter text
    assert long_text == long_query == min(repeated, most)


@requirement("retrieval:rerank:in-time")
def test_what_is_not_done_in_time_is_stopped_and_the_next_query_begins_anew(tmp_path: Path) -> None:
    folder = endless_model(tmp_path / "endless")
    reranker = OnnxCrossEncoder(InstalledModel("endless", folder, Reading(), {}, "reranker"))

    for _ in range(2):
        with pytest.raises(ModelBusyError, match=r"'endless' .* within 0\.1 s"):
            reranker.scores("ledger", ["anything"], 0.1)


def test_a_model_that_was_spoiled_says_what_to_do(installed: InstalledModel, tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(installed.folder / TOKENIZER_FILE))
    (tmp_path / TOKENIZER_FILE).write_text(tokenizer.to_str())
    (tmp_path / "model.onnx").write_bytes(b"spoiled")
    spoiled = InstalledModel("mine", tmp_path, Reading(), {}, "reranker")

    with pytest.raises(
        ModelError, match=r"`recollect model install mine --role reranker --from FOLDER`"
    ):
        OnnxCrossEncoder(spoiled)


def test_a_model_with_more_than_one_number_for_a_pair_fails_with_the_reason(tmp_path: Path) -> None:
    folder = reranker_model(tmp_path / "two", WORDS, outputs=2)
    reranker = OnnxCrossEncoder(InstalledModel("two", folder, Reading(), {}, "reranker"))

    assert reranker.output_shape() == (1, 2)
    with pytest.raises(ModelError, match="does not give one finite number"):
        reranker.scores("ledger", ["ledger"], WAIT)
