"""What is searched: documents, filters, and the port of the kept index."""

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
    """One thing that can be found.

    `thread` names what it is one piece of (a session, a conversation): pieces of one thread are found
    by their neighbours' words too. `valid_to` is None without an end, `gone_at` while it is active.
    Moments are written as `clock.to_text` writes them, so that they sort as they follow each other.
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
    files: tuple[str, ...] = ()
    thread: str = ""
    source: str = ""
    anchors: str = ""  # the rows of its anchors as JSON; looked at only when a hit is shown
    links: tuple[Link, ...] = ()  # written with it; read from the edges, never with a hit


class Fact(Frozen):
    """The little of a document that ranking needs."""

    id: UnifiedId
    category: str
    priority: int


class Filters(Frozen):
    """Which documents count. Empty means all; `as_of` asks for what held at that moment."""

    categories: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset({"active"})
    file: str | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    valid_at: str | None = None  # leave out what does not hold at this moment
    only_trusted: bool = False  # leave out what a tool said and no person confirmed


class Index(Protocol):
    """The text index. Rankings are best first and break ties by id, so they are repeatable."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read the index as it is at one moment, whatever others write."""

    def version(self) -> object:
        """A value that changes whenever the content changes."""

    @property
    def size(self) -> int:
        """How many documents it holds, filters aside."""

    def stemmed(self, key: Key) -> tuple[Sequence[str], Sequence[str]]:
        """A document's title and tags, and its body, as the text index keeps them."""

    def frequencies(self, stems: Sequence[str]) -> Mapping[str, int]:
        """How many documents have each stem; one that none has is missing."""

    def longer(self, stem: str, most: int) -> Sequence[str]:
        """The commonest stems that begin with this one, itself too; or that hold this ideograph and more."""

    def by_words(
        self, terms: Sequence[tuple[str, int]], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        """Documents with any of these (stem, times), by BM25 over title, tags, body, neighbours."""

    def by_pairs(self, pairs: Sequence[tuple[str, str]]) -> Mapping[Key, float]:
        """Documents in which any of these stems follow each other, by BM25, filters aside."""

    def by_files(
        self, names: Sequence[str], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        """Documents about any of these files, by how many of them."""

    def by_age(self, keys: Sequence[Key]) -> Sequence[Key]:
        """These documents, the newest first."""

    def excluded(self, filters: Filters) -> Sequence[Key]:
        """The documents that do not pass: most filters leave out few."""

    def titles(self, filters: Filters) -> Sequence[tuple[Key, str, Sequence[str]]]:
        """Key, title and tags of every document that passes, by priority and id."""

    def keys(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Key]:
        """Where the documents of these ids are that pass; of two of one id, the one that comes first."""

    def by_ids(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Document]:
        """The documents of these ids that pass, in the order of the ids."""

    def newest(self, category: str) -> Document | None:
        """The active document of a category that was changed last."""

    def anchored(self, now: str, limit: int) -> Sequence[Document]:
        """Active documents with anchors that are valid now, by priority and id."""

    def facts(self, keys: Sequence[Key]) -> Mapping[Key, Fact]:
        """What ranking needs of these documents."""

    def documents(self, keys: Sequence[Key]) -> Mapping[Key, Document]:
        """What is known of these documents."""
