"""What Recollect promises, as data: one TOML file per area, each promise with an id and its source.

A promise is kept unless it says otherwise, and a test marked `@requirement("area:subject:promise")` holds it.
`deferred` says why the design asks for something that is not built yet: no test may claim it.
`divergent` says how we differ from the design, and `decision` names the page with the reason.
`tests/test_requirements.py` checks all of this in both directions.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise: what users can rely on, and where that comes from."""

    id: str
    promise: str
    source: str
    deferred: str = ""
    divergent: str = ""
    decision: str = ""

    @property
    def is_tested(self) -> bool:
        return not self.deferred


def requirement(id: str) -> pytest.MarkDecorator:
    """Mark a test as one that holds the promise `id`."""
    return pytest.mark.requirement(id)


def manifest() -> list[Requirement]:
    """All promises of all areas."""
    return [
        Requirement(f"{path.stem}:{id}", **fields)
        for path in sorted(FOLDER.glob("*.toml"))
        for id, fields in tomllib.loads(path.read_text("utf-8")).items()
    ]
