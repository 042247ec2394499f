"""Work that nothing can interrupt, and how long it is waited for."""

import threading
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.storage.models.shared import endless_model

from recollect.errors import ModelError
from recollect.storage.models.deadline import within
from recollect.storage.models.installed import InstalledModel
from recollect.storage.models.manifest import Reading
from recollect.storage.models.onnx import OnnxEmbedder


def test_what_is_done_in_time_has_its_result_or_its_error() -> None:
    assert within(20, lambda: 1 + 1) == 2
    with pytest.raises(ZeroDivisionError):
        within(20, lambda: 1 // 0)


def test_what_is_not_done_in_time_is_abandoned() -> None:
    end = threading.Event()

    with pytest.raises(TimeoutError, match=r"not finished after 0\.05 s"):
        within(0.05, end.wait)

    end.set()


@requirement("trust:model:deadline")
def test_a_model_that_never_ends_is_given_up_and_not_tried_again(tmp_path: Path) -> None:
    folder = endless_model(tmp_path / "endless")
    model = OnnxEmbedder(InstalledModel("endless", folder, Reading(), {}), text_seconds=0.2)

    for _ in range(2):
        with pytest.raises(ModelError, match=r"not finished after 0\.2 s"):
            model.query("anything")

    with pytest.raises(ModelError):
        next(iter(model.passages(["anything"])))
