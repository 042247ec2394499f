"""What a source gave: something to bring in, or a reason why not."""

import hashlib
from dataclasses import dataclass

from recollect.records.draft import Draft
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory


@dataclass(frozen=True, slots=True)
class Supersession:
    """One source replaced another, both named by their origin. `evidence` quotes where it says so."""

    newer: str
    older: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something to bring in: a draft made from text, or a memory to keep as it is.

    `origin` is the path of its source, with a `#fragment` where one file holds several.
    """

    origin: str
    what: Draft | Memory
    notes: tuple[str, ...] = ()
    supersessions: tuple[Supersession, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a source that does not come in, and why."""

    origin: str
    reason: str


def digest(text: str) -> str:
    """What names one version of a source's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def source(origin: str, text: str) -> JsonObject:
    """The `source` field of a draft made from `text`."""
    return {"kind": "import", "origin": origin, "digest": digest(text)}
