"""A home of its own for every measurement."""

import os
import tempfile
from pathlib import Path

import pytest
from tests.bench.tiny import install_model


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings, memories or a model; temporary files are below it, too."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    place = tmp_path / "home"
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("RECOLLECT_HOME", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return place


@pytest.fixture
def model(home: Path) -> None:
    """A model that is installed."""
    install_model(home)
