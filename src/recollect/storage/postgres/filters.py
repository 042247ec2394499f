"""Which documents count: the filters as SQL, and whether a document is in force at a moment.

Statements join by `project` everywhere, so that a distributed PostgreSQL asks one shard.
"""

from collections.abc import Sequence
from typing import Any

from recollect.retrieval.files import base_name
from recollect.retrieval.index import Filters
from recollect.storage.postgres.text_values import storable

# The links that supersede a document. A decision that is only proposed, or rejected, supersedes nothing.
SUPERSEDING = (
    "edge JOIN document AS newer ON newer.project = edge.project AND newer.key = edge.document"
    " WHERE edge.type = 'supersedes' AND newer.id <> edge.target"
    " AND newer.ended_as NOT IN ('proposed', 'rejected')"
)
SUPERSEDED = (
    f"EXISTS (SELECT 1 FROM {SUPERSEDING} AND edge.project = document.project"
    " AND edge.target = document.id AND coalesce(newer.valid_from, newer.created_at) <= %s)"
)
# Whether an active document is in force at a moment: `records.in_force` in SQL. Nothing in it is ever NULL,
# so that its opposite can be asked for too.
IN_FORCE = (
    "(document.valid_from IS NULL OR document.valid_from <= document.created_at"
    " OR document.valid_from <= %s)"
    " AND (document.valid_to IS NULL"
    " OR (document.valid_to > document.created_at AND document.valid_to > %s))"
    " AND (document.ended_at IS NULL"
    " OR (document.ended_at > document.created_at AND document.ended_at > %s))"
    f" AND NOT {SUPERSEDED}"
)
_CHANGED = "coalesce(document.updated_at, document.created_at)"


def in_force_values(moment: str) -> tuple[str, ...]:
    """The values of `IN_FORCE` for a moment."""
    return (moment,) * IN_FORCE.count("%s")


def filter_sql(filters: Filters) -> tuple[str, list[Any]]:
    """The SQL of the filters over `document`, each behind an AND, and its values."""
    parts: list[str] = []
    values: list[Any] = []

    def add(sql: str, *parameters: Any) -> None:
        parts.append(f"AND {sql}")
        values.extend(parameters)

    if filters.categories:
        add("document.category = ANY (%s)", sorted(filters.categories))
    for tag in sorted(filters.tags):
        add(_having("tag", 'md5(lower(tag)) = md5(lower(%s COLLATE "C"))'), storable(tag))
    if filters.file is not None:
        add(*_about(storable(filters.file)))
    if filters.since is not None:
        add(f"{_CHANGED} >= %s", filters.since)
    if filters.until is not None:
        add(f"{_CHANGED} <= %s", filters.until)
    if filters.as_of is not None:
        add("coalesce(document.valid_from, document.created_at) <= %s", filters.as_of)
        for end in ("valid_to", "gone_at", "ended_at"):
            add(f"(document.{end} IS NULL OR document.{end} > %s)", filters.as_of)
        add(f"NOT {SUPERSEDED}", filters.as_of)
    elif filters.statuses:
        add("document.status = ANY (%s)", sorted(filters.statuses))
    if filters.in_force_at is not None and filters.as_of is None:
        add(IN_FORCE, *in_force_values(filters.in_force_at))
    if filters.out_of_force_at is not None:
        add(
            f"NOT (document.status = 'active' AND {IN_FORCE})",
            *in_force_values(filters.out_of_force_at),
        )
    if filters.only_trusted:
        add("document.source <> 'tool'")
    for category, moment in filters.retained_since:
        add(f"(document.category <> %s OR {_CHANGED} >= %s)", category, moment)
    return " ".join(parts), values


def _having(table: str, condition: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM {table} WHERE {table}.project = document.project"
        f" AND {table}.document = document.key AND {condition})"
    )


def _about(file: str) -> Sequence[Any]:
    """The SQL for documents about a file, by its name or by a pattern, and its values."""
    named = "md5(name) = md5(%s) AND (path = %s OR right(path, length(%s)) = %s)"
    by_pattern = "md5(name) = md5('*') AND (path = %s OR %s ~ pattern)"
    end = f"/{file}"
    condition = f"(({named}) OR ({by_pattern}))"
    return _having("named_file", condition), base_name(file), file, end, end, file, file
