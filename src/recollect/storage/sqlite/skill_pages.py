"""The skill pages that earlier processes parsed, in the index: derived, and never needed for an answer.

The index is made by its own module; here it is used only where it stands, is ours, and is of this version.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any

from recollect.graph.cross_edges import CrossType
from recollect.graph.skill_page import EdgeType, Reference, SkillPage, SkillSource
from recollect.storage.files.skill_folders import PageState, ReadPage, SkillFiles
from recollect.storage.sqlite.connections import existing, leave_reserve, was_made_here, writing
from recollect.storage.sqlite.index_file import CORRUPTION_ERRORS
from recollect.storage.sqlite.schema import VERSION, storable

_WAIT_SECONDS = 0.1  # for other writers: the next command can store the pages as well
_GROWTH = 4  # bytes of the database and its log, at most, for each byte of a row
_TYPES: Mapping[str, EdgeType | CrossType] = {type.value: type for type in (*EdgeType, *CrossType)}
_COLUMNS = "path, folder, inside, modified, changed, size, seen, digest, note, page"


class SkillPages:
    """The pages stored in the index at `path`. Where it cannot be used, there are none."""

    def __init__(self, path: str) -> None:
        self._path = path

    def load(self) -> Mapping[str, ReadPage]:
        """The pages by path. A row that makes no sense is left out, so its page is read again."""
        pages: dict[str, ReadPage] = {}
        with suppress(sqlite3.Error, OSError), self._opened() as db:
            for row in db.execute(f"SELECT {_COLUMNS} FROM skill_page") if db else ():
                with suppress(*CORRUPTION_ERRORS):
                    pages[_text(row[0])] = _decoded(row)
        return pages

    def store(self, files: SkillFiles) -> None:
        """Store the pages that were read now, and delete those that are no longer there.

        Worktrees may share an index, so the pages of other folders stay.
        """
        absent = set(files.known) - files.current - set(files.fresh)
        gone = [path for path in absent if not os.path.lexists(path)]
        rows = [_encoded(path, content) for path, content in files.fresh.items() if _can_store(path)]
        if not gone and not rows:
            return
        with suppress(sqlite3.Error, OSError), self._opened() as db:
            if db is None:
                return
            leave_reserve(db, _GROWTH * sum(len(row[-1] or "") for row in rows))
            with writing(db):
                db.executemany("DELETE FROM skill_page WHERE path = ?", [(path,) for path in gone])
                marks = ", ".join("?" * (_COLUMNS.count(",") + 1))
                db.executemany(f"INSERT OR REPLACE INTO skill_page ({_COLUMNS}) VALUES ({marks})", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection | None]:
        """The index, or None when it is not there or not to be trusted."""
        if not os.path.lexists(self._path):
            yield None
            return
        uri = existing(self._path)
        with closing(sqlite3.connect(uri, timeout=_WAIT_SECONDS, isolation_level=None, uri=True)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA synchronous = NORMAL")
            is_ours = db.execute("PRAGMA user_version").fetchone()[0] == VERSION
            yield db if is_ours and was_made_here(db, self._path) else None


def _can_store(path: str) -> bool:
    """Whether a path is text; one that is not would come back changed, and is read each time."""
    return storable(path) == path


def _encoded(path: str, content: ReadPage) -> tuple[Any, ...]:
    state, page = content.state, content.page
    return (
        path,
        content.folder,
        content.path,
        state.modified,
        state.changed,
        state.size,
        content.seen,
        content.digest,
        content.note,
        None if page is None else json.dumps(_values(page)),
    )


def _values(page: SkillPage) -> list[object]:
    return [
        page.name,
        page.title,
        page.description,
        page.tags,
        page.headings,
        page.text,
        page.excerpt,
        [(link.type.value, link.target, link.line, link.wiki) for link in page.references],
        page.digest,
        [" ".join(terms) for terms in page.terms],
    ]


def _decoded(row: tuple[Any, ...]) -> ReadPage:
    """A row as it was stored. Raises one of CORRUPTION_ERRORS for any other."""
    _, folder, inside, modified, changed, size, seen, digest, note, page = row
    source = SkillSource(_text(folder), _text(inside), "")
    state = PageState(_number(modified), _number(changed), _number(size))
    return ReadPage(
        source.folder,
        source.path,
        state,
        _number(seen),
        _text(digest),
        None if page is None else _page(source, json.loads(page)),
        _text(note),
    )


def _page(source: SkillSource, values: list[Any]) -> SkillPage:
    name, title, description, tags, headings, text, excerpt, references, digest, terms = values
    return SkillPage(
        source,
        _text(name),
        _text(title),
        _text(description),
        tuple(map(_text, tags)),
        tuple(map(_text, headings)),
        _text(text),
        _text(excerpt),
        tuple(_reference(*reference) for reference in references),
        _text(digest),
        _terms(*terms),
    )


def _terms(
    tags: object, description: object, headings: object, text: object
) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_text(field).split()) for field in (tags, description, headings, text))


def _reference(type: object, target: object, line: object, wiki: object) -> Reference:
    return Reference(_TYPES[_text(type)], _text(target), _number(line), wiki is True)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError("not a number")
    return value
