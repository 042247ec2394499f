"""Models, each made or fetched once."""

from pathlib import Path

import pytest
from tests.storage.models.shared import installed_models, tiny_model


@pytest.fixture(scope="session")
def models(request: pytest.FixtureRequest) -> Path:
    """A folder in which the default model is installed."""
    return installed_models(request.config)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX folder of BGE-M3's shape."""
    return tiny_model(tmp_path_factory.mktemp("tiny"))
