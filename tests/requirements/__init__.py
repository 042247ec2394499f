"""What Recollect promises, as data: one TOML file an area, each promise with an id and its source.

A test that holds a promise is marked with `@requirement("area:subject:promise")`;
`tests/test_requirements.py` checks that every promise has a test and every id exists.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise: its id, the behaviour, and the section of the design it comes from."""

    id: str
    behaviour: str
    source: str


def requirement(id: str) -> pytest.MarkDecorator:
    """Mark a test as one that holds the promise `id`."""
    return pytest.mark.requirement(id)


def manifest() -> list[Requirement]:
    """All promises of all areas."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for id, row in tomllib.loads(path.read_text("utf-8")).items():
            found.append(Requirement(f"{path.stem}:{id}", row["behaviour"], row["source"]))
    return found
