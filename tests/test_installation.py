"""The command that adds an optional part, for each way in which Recollect can be installed."""

import json
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from recollect import installation
from recollect.installation import how_to_add

PYTHON = "/home/ada maria/.venv/bin/python"


class Copy(Distribution):
    """A package with what its installer recorded of where it came from."""

    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, filename: str) -> str | None:
        assert filename == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        (None, "'recollect[mcp]'"),
        ({"url": "file:///src/my%20tools/recollect", "dir_info": {}}, "'/src/my tools/recollect[mcp]'"),
        ({"url": "file:///src/r", "dir_info": {"editable": True}}, "--editable '/src/r[mcp]'"),
        (
            {"url": "file:///w/recollect-1.whl", "archive_info": {}},
            "'recollect[mcp] @ file:///w/recollect-1.whl'",
        ),
        ([], "'recollect[mcp]'"),
    ],
)
@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ada/.venv", "'/home/ada maria/.venv/bin/python' -m pip install"),
        ("/home/ada/.local/share/pipx/venvs/recollect", "pipx install --force"),
        ("/home/ada/.local/share/uv/tools/recollect", "uv tool install --force"),
    ],
)
def test_the_command_installs_from_where_this_copy_came(
    monkeypatch: pytest.MonkeyPatch, origin: object, source: str, prefix: str, command: str
) -> None:
    monkeypatch.setattr(installation, "distribution", lambda name: Copy(origin))

    assert how_to_add("mcp", prefix, PYTHON) == f"{command} {source}"
