"""A model for requests that wait a moment only."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords

from recollect.app.bounded_model import BoundedEmbedder
from recollect.errors import ModelBusyError, ModelError
from recollect.storage.models.embedder import CachingEmbedder

WAIT = 20.0  # seconds: that is a hang, whatever machine it is
SOON = 0.02


class Held(BagOfWords):
    """A model that reads nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.done = threading.Event(), threading.Event()

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        self.go.wait(WAIT)
        yield from super().passages(texts)
        self.done.set()


def test_it_gives_the_vectors_of_the_model() -> None:
    model = BagOfWords()
    bounded = BoundedEmbedder("bag", model.version, lambda: model, WAIT)

    assert bounded.query("ledger").tobytes() == model.query("ledger").tobytes()
    assert [row.tobytes() for row in bounded.passages(["a", "b", "c"])] == [
        row.tobytes() for row in BagOfWords().passages(["a", "b", "c"])
    ]


@requirement("retrieval:vectors:never-a-wait")
def test_what_took_too_long_is_made_for_the_next_one_who_asks(tmp_path: Path) -> None:
    model = Held()
    bounded = BoundedEmbedder(
        "bag", model.version, lambda: CachingEmbedder(model.version, lambda: model, tmp_path), SOON
    )

    with pytest.raises(ModelBusyError, match=r"the model 'bag' .* try again in a moment"):
        list(bounded.passages(["ledger"]))
    model.go.set()
    assert model.done.wait(WAIT)
    bounded._seconds = WAIT

    assert len(list(bounded.passages(["ledger"]))) == 1
    assert model.read == ["ledger"]


def test_a_model_that_could_not_be_loaded_says_why_to_the_next_one_who_asks() -> None:
    go, failing = threading.Event(), threading.Event()

    def load() -> BagOfWords:
        go.wait(WAIT)
        failing.set()
        raise ModelError("bag", "spoiled", "install it again")

    bounded = BoundedEmbedder("bag", "bag@1", load, SOON)
    with pytest.raises(ModelBusyError):
        bounded.query("ledger")
    go.set()
    assert failing.wait(WAIT)
    bounded._seconds = WAIT

    with pytest.raises(ModelError, match="spoiled"):
        bounded.query("ledger")
