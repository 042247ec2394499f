"""The examples of the Python guide run, one after the other, in a project of their own."""

import re
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.opening import init_project

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "python.md"


@requirement("docs:examples:python")
def test_the_examples_of_the_python_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    init_project(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}

    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)

    assert len(blocks) >= 6
