"""What a source contains: memories to import, and parts that are skipped."""

import hashlib
from dataclasses import dataclass

from recollect.records.draft import Draft
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory
from recollect.records.redaction_port import SecretFinding


@dataclass(frozen=True, slots=True)
class Succession:
    """One source supersedes another, both named by their origin. `evidence` quotes the statement.

    An amendment changes or replaces only a part of the older one, which stays in force.
    """

    newer: str
    older: str
    evidence: str
    is_amendment: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """A memory to import: a draft made from text, or a memory that is imported unchanged.

    `origin` is the path of its source, with a `#fragment` where one file contains several.
    """

    origin: str
    memory: Draft | Memory
    notes: tuple[str, ...] = ()
    successions: tuple[Succession, ...] = ()
    redacted: tuple[SecretFinding, ...] = ()  # what the gate removed from the text it was made from


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a source that is not imported, and why; `text` is what it says, where that is short."""

    origin: str
    reason: str
    text: str = ""


def digest(text: str) -> str:
    """The digest that identifies one version of a source's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def source(origin: str, text: str) -> JsonObject:
    """The `source` field of a draft made from `text`."""
    return {"kind": "import", "origin": origin, "digest": digest(text)}
