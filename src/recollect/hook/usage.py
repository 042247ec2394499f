"""Was it of use? What a session does with the memories its prompts were given."""

from __future__ import annotations

import json
import os

from recollect.hook.databases import LONG_LOG, TOO_LONG_LOG, fold_logs, open_state
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.retrieval.index import Document
    from recollect.storage.sqlite.state import StateDatabase

CITED_SHARE = 0.6  # of a title's words that the last message has


def on_tool(event: Event, place: ProjectPaths, harness: str) -> None:
    """A tool was used: on a memory's own file, or on a file that a given memory is about."""
    if not os.path.isdir(place.state):
        return
    from recollect.hook.working_memory import on_tool_output

    told = json.dumps(dict(event.tool_input), ensure_ascii=False)
    state = open_state(place)
    try:
        on_tool_output(_ended(event), place, harness, state)
    finally:  # and last, for it asks the index, which others may hold
        _note(event, place, state, lambda document: _touched(told, document))
        fold_logs(place, TOO_LONG_LOG)


def _ended(event: Event) -> Event:
    """A tool call with how it ended, where the harness writes that into the transcript and nowhere else."""
    if not event.call or not event.transcript:
        return event
    from recollect.hook.transcript import has_failed

    failed = has_failed(event.transcript, event.harness, event.call)
    return replaced(event, kind="tool_failed") if failed else event


def on_pause(event: Event, place: ProjectPaths, harness: str) -> None:
    """The agent stopped, or is about to forget: did it speak of what it was given, and what was done?"""
    if not os.path.isdir(place.state):
        return
    from recollect.hook.drafting import on_close

    message = event.last_message
    state = open_state(place)
    try:
        on_close(event, place, harness, state)
    finally:
        if event.kind == "stop":
            _note(event, place, state, lambda document: "cited" if _cited(message, document) else None)
        fold_logs(place, LONG_LOG)


def _note(
    event: Event, place: ProjectPaths, state: StateDatabase, used: Callable[[Document], str | None]
) -> None:
    state.count_event(event.session)
    for document in _given(state.unused(event.session), place):
        if how := used(document):
            state.use(event.session, [document.id], how)


def _given(ids: list[str], place: ProjectPaths) -> Iterable[Document]:
    """What the index says of memories that were given, whatever became of them."""
    if not ids:
        return ()
    from recollect.ids import UnifiedId
    from recollect.retrieval.index import Filters
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.storage.sqlite.index_file import NAME, open_index

    path = place.kept(NAME)
    if not os.path.exists(path):
        return ()
    any_status = Filters(statuses=frozenset({"active", "retired", "archived"}))
    index = SqliteIndex(open_index(path).connection)
    return index.by_ids([UnifiedId(id) for id in ids], any_status).values()


def _touched(told: str, document: Document) -> str | None:
    if document.path in told:
        return "read"
    return "touched" if any(_names(told, file) for file in document.files if len(file) > 3) else None


def _names(told: str, file: str) -> bool:
    """Whether a file is named, and not only the end of another's name or the start of a longer one."""
    start = told.find(file)
    while start >= 0:
        before, after = told[:start][-1:], told[start + len(file) :][:1]
        if not (_in_word(before) or before in (".", "-") or _in_word(after) or after == "-"):
            return True
        start = told.find(file, start + 1)
    return False


def _in_word(mark: str) -> bool:
    return mark.isalnum() or mark == "_"


def _cited(message: str, document: Document) -> bool:
    if document.id.removeprefix("mem:") in message:
        return True
    from recollect.retrieval.tokens import STOP_WORDS, tokens

    said = set(tokens(message[:20_000]))
    title = {token for token in tokens(document.title) if token not in STOP_WORDS}
    return bool(title) and len(title & said) >= CITED_SHARE * len(title)
