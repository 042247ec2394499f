"""The generated pages say what the code says."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from tests.cli.shapes import SHAPES
from tests.requirements import requirement

from recollect.cli.exits import MEANINGS, Exit

DOCS = Path(__file__).parents[2] / "docs"


def _generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES: dict[Path, str] = _generate().pages()


@requirement("docs:reference:generated")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_generated_page_is_what_the_code_would_write_now(path: Path) -> None:
    """`make docs` writes it anew."""
    assert path.read_text("utf-8") == PAGES[path]


def test_every_command_with_a_shape_and_every_exit_code_is_in_the_reference() -> None:
    page = PAGES[DOCS / "reference" / "cli.md"]
    assert [name for name in SHAPES if f"### recollect {name}\n" not in page] == []
    assert set(MEANINGS) == set(Exit)
    assert all(f"| {code.value} |" in page for code in Exit)
