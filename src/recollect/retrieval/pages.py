"""Pages of documents, and counts of them: the port of an index that lists what it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.retrieval.index import Document, Filters


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some of the documents that match, in order, and how many match in all."""

    documents: tuple[Document, ...]
    total: int


@dataclass(frozen=True, slots=True)
class CreatedCount:
    """How many documents of a category were made on a day."""

    day: str
    category: str
    memories: int


@dataclass(frozen=True, slots=True)
class TagCount:
    """How many documents have a tag."""

    tag: str
    memories: int


class Pages(Protocol):
    """Documents in an order, a page at a time."""

    def page(
        self,
        filters: Filters,
        order: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        priorities: range | None = None,
        tags: Sequence[str] = (),
    ) -> DocumentPage:
        """The documents that pass, by `priority` or the last `changed` first.

        `priorities` limits them to one root; `tags` are compared exactly.
        """
        ...

    def created(self, filters: Filters) -> list[CreatedCount]:
        """How many documents that pass were made on each day, by category; the oldest day first."""
        ...

    def tags(self, limit: int) -> list[TagCount]:
        """The tags that most documents have; ties by name."""
        ...

    def count_unreadable(self, root: str) -> int:
        """How many files of a root are not valid memories."""
        ...
