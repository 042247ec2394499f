"""Were injected memories used? Watches what a session does with them."""

from __future__ import annotations

import json
import os

from recollect.hook.databases import MOST_WAL_BYTES, PAUSE_WAL_BYTES, checkpoint_long_wals, open_state
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.ids import UnifiedId
    from recollect.retrieval.index import Document
    from recollect.working.recorder import SessionRecorder

CITED_SHARE = 0.6  # of a title's words that a message must have to cite it


def on_tool(event: Event, place: ProjectPaths) -> None:
    """A tool call is finished. It uses a memory by reading its file, or touching a file that it is about."""
    if not os.path.isdir(place.state):
        return
    from recollect.hook.working_memory import on_tool_output, take_in_pending

    arguments = json.dumps(dict(event.tool_input), ensure_ascii=False)
    recorder = open_state(place)
    take_in_pending(place, recorder)
    try:
        on_tool_output(_with_outcome(event), place, recorder)
    finally:  # last, because it reads the index, which others may have locked
        _record_use(event, place, recorder, lambda document: _how_touched(arguments, document))
        checkpoint_long_wals(place, MOST_WAL_BYTES)


def _with_outcome(event: Event) -> Event:
    """A tool call with its outcome, which some harnesses write into the transcript and nowhere else."""
    if not event.call or not event.transcript:
        return event
    from recollect.hook.transcript import has_failed

    failed = has_failed(event.transcript, event.harness, event.call)
    return replaced(event, kind="tool_failed") if failed else event


def on_pause(event: Event, place: ProjectPaths) -> None:
    """The agent stopped or is compacted: draft a summary, and record which memories it cited."""
    if not os.path.isdir(place.state):
        return
    from recollect.hook.drafting import on_close
    from recollect.hook.working_memory import take_in_pending

    message = event.last_message
    recorder = open_state(place)
    take_in_pending(place, recorder)
    try:
        on_close(event, place, recorder)
    finally:
        if event.kind == "stop":
            _record_use(
                event, place, recorder, lambda document: "cited" if _cites(message, document) else None
            )
        checkpoint_long_wals(place, PAUSE_WAL_BYTES)


def on_unanswered_prompt(event: Event, place: ProjectPaths) -> None:
    """A prompt of a harness that takes no memories with it: it only makes items matter more."""
    if not os.path.isdir(place.state):
        return
    from recollect.hook.working_memory import on_prompt_mentions

    on_prompt_mentions(event, place, open_state(place))


def _record_use(
    event: Event, place: ProjectPaths, recorder: SessionRecorder, how: Callable[[Document], str | None]
) -> None:
    recorder.count_event(event.session)
    for document in _documents(recorder.unused(event.session), place):
        if use := how(document):
            recorder.use(event.session, [document.id], use)


def _documents(ids: Sequence[UnifiedId], place: ProjectPaths) -> Iterable[Document]:
    """The documents of injected memories, of any status."""
    if not ids:
        return ()
    from recollect.retrieval.index import Filters
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.storage.sqlite.index_file import open_index

    path = place.index_file
    if not os.path.exists(path):
        return ()
    any_status = Filters(statuses=frozenset({"active", "retired", "archived"}))
    index = SqliteIndex(open_index(path).connection)
    return index.by_ids(ids, any_status).values()


def _how_touched(arguments: str, document: Document) -> str | None:
    if document.path in arguments:
        return "read"
    touched = any(_names(arguments, file) for file in document.files if len(file) > 3)
    return "touched" if touched else None


def _names(arguments: str, file: str) -> bool:
    """Whether arguments name a file, and not only a longer path that contains its name."""
    start = arguments.find(file)
    while start >= 0:
        before, after = arguments[:start][-1:], arguments[start + len(file) :][:1]
        if not (_in_word(before) or before in (".", "-") or _in_word(after) or after == "-"):
            return True
        start = arguments.find(file, start + 1)
    return False


def _in_word(mark: str) -> bool:
    return mark.isalnum() or mark == "_"


def _cites(message: str, document: Document) -> bool:
    """Whether a message has a memory's id, or most words of its title."""
    if document.id.removeprefix("mem:") in message:
        return True
    from recollect.text.tokens import STOP_WORDS, tokens

    words = set(tokens(message[:20_000]))
    title = {token for token in tokens(document.title) if token not in STOP_WORDS}
    return bool(title) and len(title & words) >= CITED_SHARE * len(title)
