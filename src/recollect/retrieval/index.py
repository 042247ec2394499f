"""The text index: its documents, filters, and port."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import NewType, Protocol

    from recollect.ids import UnifiedId
    from recollect.records.record import Link

    Key = NewType("Key", int)  # a document's place in one index; means nothing elsewhere
else:
    Key, Protocol = int, object


class Document(Frozen):
    """A document that search can return.

    `thread` names the session or conversation it is part of: documents of one thread also match their
    neighbours' words. `valid_to` is None without an end, `gone_at` while it is active. `ended_as` is what
    its own content says against it (see `records.in_force`), `ended_at` since when. Times are texts of
    `clock.to_text`, so that they sort chronologically.
    """

    id: UnifiedId
    title: str
    tags: tuple[str, ...]
    body: str
    created_at: str
    category: str = ""
    priority: int = 0
    status: str = "active"
    path: str = ""
    updated_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    gone_at: str | None = None
    ended_as: str = ""
    ended_at: str | None = None
    files: tuple[str, ...] = ()
    thread: str = ""
    source: str = ""
    anchors: str = ""  # the rows of its anchors as JSON; parsed only when a hit is shown
    pinned_at: str = ""  # when it was pinned or last confirmed; nothing when it is not pinned
    links: tuple[Link, ...] = ()  # only for writing; reads come from the edges
    successors: tuple[tuple[str, str], ...] = ()  # only read, from the edges: ids, and since when


class Fact(Frozen):
    """The fields of a document that ranking needs."""

    id: UnifiedId
    category: str
    priority: int


class Filters(Frozen):
    """Which documents count. Empty means all; `as_of` asks for what was in force at that moment."""

    categories: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset({"active"})
    file: str | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    in_force_at: str | None = None  # leave out what is not in force at this moment
    out_of_force_at: str | None = None  # only what is not in force at this moment
    only_trusted: bool = False  # leave out what a tool said and no person confirmed
    retained_since: tuple[tuple[str, str], ...] = ()  # category, moment: leave out what changed before


class Index(Protocol):
    """The text index. Rankings are best first and break ties by id, so they are repeatable."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read the index as it is at one moment, whatever others write."""

    def version(self) -> object:
        """A value that changes whenever the content changes."""

    @property
    def size(self) -> int:
        """The number of documents, without filters."""

    def stemmed(self, key: Key) -> tuple[Sequence[str], Sequence[str]]:
        """The stems of a document's title and tags, and those of its body."""

    def frequencies(self, stems: Sequence[str]) -> Mapping[str, int]:
        """How many documents have each stem; unknown stems are left out."""

    def longer(self, stem: str, most: int) -> Sequence[str]:
        """The commonest stems that begin with this one, itself included, or that contain this ideograph."""

    def by_words(
        self, terms: Sequence[tuple[str, int]], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        """Documents with any of these (stem, times), by BM25 over title, tags, body, neighbours."""

    def by_pairs(self, pairs: Sequence[tuple[str, str]]) -> Mapping[Key, float]:
        """Documents in which any of these pairs is adjacent, by BM25, without filters."""

    def by_files(
        self, names: Sequence[str], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        """Documents about any of these files, by how many of them."""

    def by_age(self, keys: Sequence[Key]) -> Sequence[Key]:
        """These documents, the newest first."""

    def excluded(self, filters: Filters) -> Sequence[Key]:
        """The documents that the filters exclude, because these are usually few."""

    def titles(self, filters: Filters) -> Sequence[tuple[Key, str, Sequence[str]]]:
        """Key, title and tags of every document that passes, by priority and id."""

    def keys(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Key]:
        """The keys of the documents of these ids that pass; of two with one id, the first."""

    def by_ids(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Document]:
        """The documents of these ids that pass, in the order of the ids."""

    def newest(self, category: str, now: str) -> Document | None:
        """The document of a category that was changed last, of those in force now."""

    def anchored(self, now: str, limit: int) -> Sequence[Document]:
        """Documents with anchors that are in force now, by priority and id."""

    def in_force(self, keys: Sequence[Key], now: str) -> frozenset[Key]:
        """Those of these documents that are in force now."""

    def facts(self, keys: Sequence[Key]) -> Mapping[Key, Fact]:
        """The facts of these documents."""

    def documents(self, keys: Sequence[Key]) -> Mapping[Key, Document]:
        """These documents."""
