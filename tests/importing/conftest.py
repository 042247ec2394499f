"""Fixtures of the import tests."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from recollect.app.project import Recollect
from recollect.importing import plan as importing
from recollect.importing import sources
from recollect.importing.report import ImportReport

Write = Callable[[str, Mapping[str, str]], Path]
Import = Callable[[Path], ImportReport]
Plan = Callable[[Path], ImportReport]


@pytest.fixture
def write(folder: Path) -> Write:
    """Put files into a folder of the project."""

    def put(where: str, files: Mapping[str, str]) -> Path:
        target = folder / where
        for name, text in files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return target

    return put


@pytest.fixture
def plan(project: Recollect, folder: Path) -> Plan:
    """Plan an import of a path into the project."""
    return lambda path: importing.plan(sources.read(path, base=folder), project.memories)


@pytest.fixture
def bring_in(plan: Plan, project: Recollect) -> Import:
    """Import a path into the project."""
    return lambda path: importing.apply(plan(path), project.memories)
