"""What the four source documents ask for, as data: one TOML file per document.

A requirement has an id (where it stands in its document), what it `asks`, and `held_by`: the promises whose
tests hold it. `differs` says why we do otherwise, and `decision` names the page with the reasons; `deferred`
says what is not built. Without either it works. `docs/reference/sources.md` is generated from this.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
Status = Literal["works", "differs", "deferred"]


@dataclass(frozen=True, slots=True)
class SourceRequirement:
    """One requirement of a document, and how it stands."""

    id: str
    asks: str
    held_by: tuple[str, ...] = ()
    differs: str = ""
    decision: str = ""
    deferred: str = ""

    @property
    def status(self) -> Status:
        return "deferred" if self.deferred else "differs" if self.differs else "works"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and everything that it asks for."""

    name: str
    title: str
    requirements: tuple[SourceRequirement, ...]


def documents() -> list[SourceDocument]:
    """The source documents, by number."""
    return [_document(path) for path in sorted(FOLDER.glob("*.toml"))]


def _document(path: Path) -> SourceDocument:
    content = tomllib.loads(path.read_text("utf-8"))
    rows = (row | {"held_by": tuple(row.get("held_by", ()))} for row in content["requirement"])
    return SourceDocument(path.stem, content["title"], tuple(SourceRequirement(**row) for row in rows))
