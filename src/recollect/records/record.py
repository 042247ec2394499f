"""A memory: a document that passed its checks, and typed access to it.

The document is stored complete, with unknown fields and in its key order, so that a rewrite loses nothing
that another version wrote and a small change makes a small diff.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import cast

from recollect import clock
from recollect.errors import InvalidMemoryError, Problem, RefusedError
from recollect.ids import MemoryId, UnifiedId, parse_unified, unified
from recollect.records.categories import SHAPES, Category
from recollect.records.fields import (
    Anything,
    Choice,
    Count,
    Field,
    Listing,
    Moment,
    Object,
    Share,
    Slug,
    Text,
    Version,
    check_fields,
)
from recollect.records.json_format import Json, JsonObject, copied, same
from recollect.records.validity import Validity
from recollect.records.versions import NEW_IN_1_1, keeps_to_1_0, uses_1_1

FORMAT_VERSION = "1.1"
TITLE_LENGTH = 120
MAX_CHANGES = 50


class Status(StrEnum):
    """The lifecycle state of a memory."""

    ACTIVE = "active"
    RETIRED = "retired"
    ARCHIVED = "archived"


class LinkType(StrEnum):
    """How a memory relates to another memory or a skill; the subject is the memory that stores the link."""

    CAUSED = "caused"
    ENABLED = "enabled"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    SUPPORTS = "supports"
    IMPLEMENTS = "implements"  # a skill, and nothing else


@dataclass(frozen=True, slots=True)
class Link:
    """A typed, directed edge to a memory or a skill, with the evidence for it."""

    type: LinkType
    target: UnifiedId
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The code a memory is about: a file or some of its lines, and their digest when it was anchored."""

    path: str
    digest: str
    lines: tuple[int, int] | None = None
    commit: str | None = None


_CHANGE = Object(
    (
        Field("date", Text(), "when", required=True),
        Field("summary", Text(), "what changed, in one sentence", required=True),
        Field("field", Text(), "the field that changed"),
        Field("old_value", Anything(), "its value before"),
        Field("new_value", Anything(), "its value after"),
    )
)
_LINK = Object(
    (
        Field("type", Choice(tuple(LinkType)), "how this memory relates to the target", required=True),
        Field("target", Text(min_length=1), "a unified id: mem:... or skill:...", required=True),
        Field("evidence", Text(), "the evidence for the link"),
    )
)
_ANCHOR = Object(
    (
        Field("path", Text(min_length=1), "a file, relative to the project", required=True),
        Field("digest", Text(min_length=1), "SHA-256 digest of the anchored text", required=True),
        Field("lines", Text(), "line numbers such as 10-40; the whole file when absent"),
        Field("commit", Text(), "the commit at which it was anchored"),
    )
)
_SOURCE = Object(
    (
        Field("kind", Choice(("user", "agent", "tool", "import")), "who wrote it", required=True),
        Field("session", Text(), "the session it came from"),
        Field("turn", Count(), "the turn of that session, from 1, in which a person said it"),
        Field("line", Count(), "the line of that session's transcript, from 1"),
        Field("origin", Text(), "the file it was imported from"),
        Field("digest", Text(), "the digest of that file's text, to detect changes"),
    )
)

FIELDS: tuple[Field, ...] = (
    Field("schema_version", Version(), "the format of this file", required=True),
    Field("category", Choice(tuple(Category)), "the kind of memory", required=True),
    Field("id", Slug(), "a slug in kebab case; also the file name", required=True),
    Field("title", Text(1, TITLE_LENGTH), "what it says, in one line", required=True),
    Field("created_at", Moment(), "when it was first written", required=True),
    Field("updated_at", Moment(), "when it was last written", required=True),
    Field("tags", Listing(Text(min_length=1), min_items=1), "keywords to find it by", required=True),
    Field("related_files", Listing(Text()), "files or patterns it is about"),
    Field("confidence", Share(), "how sure the writer was"),
    Field("record_status", Choice(tuple(Status)), "the lifecycle state; active when absent"),
    Field("changes", Listing(_CHANGE, max_items=MAX_CHANGES), "the history of changes, oldest first"),
    Field("times_updated", Count(), "how many times it was changed"),
    Field("retired_at", Moment(), "when it was retired"),
    Field("retired_reason", Text(), "why it was retired"),
    Field("archived_at", Moment(), "when it was archived"),
    Field("archived_reason", Text(), "why it was archived"),
    Field("links", Listing(_LINK), "links to other memories and to skills"),
    Field("anchors", Listing(_ANCHOR), "the code it is about"),
    Field("source", _SOURCE, "where it came from"),
    Field("valid_from", Moment(), "when it starts being valid; its creation when absent"),
    Field("valid_to", Moment(), "when it stops being valid; may be in the future"),
    Field("pinned_at", Moment(), "when it was pinned, or last confirmed since; not pinned when absent"),
    Field("content", Object(()), "the fields that its category defines", required=True),
)
_ORDER = tuple(field.name for field in FIELDS)


@dataclass(frozen=True, slots=True)
class Memory:
    """One durable record. `Memory.parse` creates one; `with_fields` returns a changed copy."""

    _document: JsonObject

    @classmethod
    def parse(cls, document: JsonObject, where: str = "the record") -> "Memory":
        """Check a document. Raises InvalidMemoryError that lists every problem."""
        if complaints := problems(document):
            raise InvalidMemoryError(where, complaints)
        return cls(cast("JsonObject", copied(document)))

    def with_fields(self, changes: Mapping[str, Json]) -> "Memory":
        """A copy with these top-level fields set; None removes one. New fields take their place.

        An explicit null stays as it is: it means absent already.
        """
        document = self.document
        for name, value in changes.items():
            if value is None:
                if document.get(name) is not None:
                    del document[name]
            elif name in document:
                document[name] = copied(value)
            else:
                document = _placed(document, name, copied(value))
        if not NEW_IN_1_1.isdisjoint(changes) or uses_1_1(document) != uses_1_1(self._document):
            document = with_lowest_version(_upgraded(document))
        return Memory.parse(document, f"memory {self.id!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and same(self._document, other._document)

    __hash__ = None  # type: ignore[assignment]

    @property
    def document(self) -> JsonObject:
        """The complete record as JSON; a copy."""
        return cast("JsonObject", copied(self._document))

    @property
    def id(self) -> MemoryId:
        return MemoryId(self._text("id"))

    @property
    def unified_id(self) -> UnifiedId:
        return unified(self.id)

    @property
    def category(self) -> Category:
        return Category(self._text("category"))

    @property
    def title(self) -> str:
        return self._text("title")

    @property
    def tags(self) -> tuple[str, ...]:
        return self._texts("tags")

    @property
    def related_files(self) -> tuple[str, ...]:
        return self._texts("related_files")

    @property
    def created_at(self) -> datetime:
        return clock.from_text(self._text("created_at"))

    @property
    def updated_at(self) -> datetime:
        return clock.from_text(self._text("updated_at"))

    @property
    def status(self) -> Status:
        return Status(str(self._document.get("record_status") or "active"))

    @property
    def confidence(self) -> float | None:
        value = self._document.get("confidence")
        return float(value) if isinstance(value, int | float) else None

    @property
    def content(self) -> JsonObject:
        return cast("JsonObject", copied(self._document["content"]))

    @property
    def times_updated(self) -> int:
        value = self._document.get("times_updated")
        return value if isinstance(value, int) else 0

    @property
    def retired_at(self) -> datetime | None:
        return self._moment("retired_at")

    @property
    def valid_from(self) -> datetime:
        """When it starts being valid: `valid_from`, or its creation."""
        return self._moment("valid_from") or self.created_at

    @property
    def valid_to(self) -> datetime | None:
        """When it stops being valid, maybe in the future; None when it has no end."""
        return self._moment("valid_to")

    @property
    def pinned_at(self) -> datetime | None:
        """When it was pinned, or last confirmed since; None when it is not pinned."""
        return self._moment("pinned_at")

    @property
    def validity(self) -> Validity:
        """The period in which it is valid."""
        end = self.valid_to
        return Validity(
            clock.to_text(self.created_at),
            clock.to_text(self.valid_from),
            None if end is None else clock.to_text(end),
        )

    @property
    def source(self) -> JsonObject:
        """Who wrote it; empty when the record does not say."""
        return cast("JsonObject", copied(self._document.get("source") or {}))

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(
            Link(
                LinkType(cast("str", row["type"])),
                parse_unified(cast("str", row["target"])),
                cast("str | None", row.get("evidence")),
            )
            for row in self._rows("links")
        )

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        return tuple(
            Anchor(
                cast("str", row["path"]),
                cast("str", row["digest"]),
                parse_span(cast("str | None", row.get("lines"))),
                cast("str | None", row.get("commit")),
            )
            for row in self._rows("anchors")
        )

    def rows(self, name: str) -> list[JsonObject]:
        """The rows of a list field as JSON, unknown keys included; a copy."""
        return [cast("JsonObject", copied(row)) for row in self._rows(name)]

    def _text(self, name: str) -> str:
        return cast("str", self._document[name])

    def _texts(self, name: str) -> tuple[str, ...]:
        return tuple(cast("list[str]", self._document.get(name) or []))

    def _rows(self, name: str) -> list[JsonObject]:
        return cast("list[JsonObject]", self._document.get(name) or [])

    def _moment(self, name: str) -> datetime | None:
        value = self._document.get(name)
        return clock.from_text(value) if isinstance(value, str) else None


def problems(document: JsonObject) -> list[Problem]:
    """Every problem of a document; empty when it is a valid memory."""
    version = document.get("schema_version")
    version = version if isinstance(version, str) else FORMAT_VERSION
    complaints = list(check_fields(FIELDS, document, "", version))
    category, content = document.get("category"), document.get("content")
    if category in tuple(Category) and isinstance(content, dict):
        fields = SHAPES[Category(category)].fields
        complaints += check_fields(fields, content, "content", version)
    complaints += _bad_targets(document) + _bad_spans(document)
    return complaints


def _bad_targets(document: JsonObject) -> list[Problem]:
    complaints = []
    for index, row in enumerate(_objects(document.get("links"))):
        try:
            target = parse_unified(str(row.get("target") or "x"))
        except RefusedError as error:
            complaints.append(Problem(f"links[{index}].target", str(error)))
        else:
            if row.get("type") == LinkType.IMPLEMENTS and not target.startswith("skill:"):
                reason = f"'implements' leads from a memory to a skill (skill:...), not to {target!r}"
                complaints.append(Problem(f"links[{index}].target", reason))
    return complaints


def _bad_spans(document: JsonObject) -> list[Problem]:
    complaints = []
    for index, row in enumerate(_objects(document.get("anchors"))):
        lines = row.get("lines")
        try:
            parse_span(lines if isinstance(lines, str) else None)
        except ValueError as error:
            complaints.append(Problem(f"anchors[{index}].lines", str(error)))
    return complaints


def _objects(value: Json) -> list[JsonObject]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def parse_span(text: str | None) -> tuple[int, int] | None:
    """Parse `10-40` or `10`; None means the whole file. Raises ValueError."""
    if not text:
        return None
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if not match:
        raise ValueError(f"must be lines such as 10-40, not {text!r}")
    span = int(match[1]), int(match[2] or match[1])
    if not 1 <= span[0] <= span[1]:
        raise ValueError(f"must run from a line to a later one, not {text!r}")
    return span


def canonical(document: JsonObject) -> JsonObject:
    """The document with its known fields in the order of the format, followed by the others."""
    ordered: JsonObject = {name: document[name] for name in _ORDER if name in document}
    if isinstance(content := ordered.get("content"), dict) and ordered.get("category") in SHAPES:
        names = [field.name for field in SHAPES[Category(str(ordered["category"]))].fields]
        known: JsonObject = {name: content[name] for name in names if name in content}
        ordered["content"] = known | content
    return ordered | document


def _upgraded(document: JsonObject) -> JsonObject:
    """Raise the version of a 1.0 document that uses 1.1, if it meets the requirements of 1.1."""
    if document.get("schema_version") != "1.0" or not uses_1_1(document):
        return document
    newer = document | {"schema_version": FORMAT_VERSION}
    return document if problems(newer) else newer


def with_lowest_version(document: JsonObject) -> JsonObject:
    """A 1.1 document that keeps to 1.0 says 1.0, so that programs of that format accept it."""
    if document.get("schema_version") != FORMAT_VERSION or not keeps_to_1_0(document, FIELDS):
        return document
    return document | {"schema_version": "1.0"}


def _placed(document: JsonObject, name: str, value: Json) -> JsonObject:
    """`document` with a new field at its place in the order of the format."""
    before = _ORDER[: _ORDER.index(name)] if name in _ORDER else tuple(document)
    names = list(document)
    position = max((names.index(other) + 1 for other in before if other in document), default=0)
    names.insert(position, name)
    return {key: value if key == name else document[key] for key in names}
