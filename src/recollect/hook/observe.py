"""Was it of use? What a session does with the memories its prompts were given."""

import json
import re
from collections.abc import Callable

from recollect.agents.event import Event
from recollect.hook.place import Place
from recollect.ids import UnifiedId
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.tokens import STOP_WORDS, tokens
from recollect.storage.sqlite import kept
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.state import NAME as STATE_NAME
from recollect.storage.sqlite.state import State

CITED_SHARE = 0.6  # of a title's words that the last message has
_ANY = Filters(statuses=frozenset({"active", "retired", "archived"}))


def on_tool(event: Event, place: Place) -> None:
    """A tool was used: on a memory's own file, or on a file that a given memory is about."""
    told = json.dumps(event.tool_input, ensure_ascii=False)
    _note(event, place, lambda document: _touched(told, document))


def on_stop(event: Event, place: Place) -> None:
    """The agent stopped: did its last message speak of what it was given?"""
    said = set(tokens(event.last_message[:20_000]))
    _note(
        event, place, lambda document: "cited" if _cited(said, event.last_message, document) else None
    )


def _note(event: Event, place: Place, used: Callable[[Document], str | None]) -> None:
    state_path, index_path = place.root.state / STATE_NAME, place.root.state / "index.db"
    if not place.root.state.is_dir():
        return
    state = State(state_path)
    try:
        state.count_event(event.session)
        waiting = state.unused(event.session)
        if not waiting or not index_path.exists():
            return
        index = SqliteIndex(kept.open_kept(index_path).connection)
        for id, document in index.by_ids([UnifiedId(id) for id in waiting], _ANY).items():
            if how := used(document):
                state.use(event.session, [id], how)
    finally:
        state.close()


def _touched(told: str, document: Document) -> str | None:
    if document.path in told:
        return "read"
    return "touched" if any(_names(told, file) for file in document.files if len(file) > 3) else None


def _names(told: str, file: str) -> bool:
    """Whether a file is named, and not only the end of another's name or the start of a longer one."""
    return re.search(rf"(?<![\w.-]){re.escape(file)}(?![\w-])", told) is not None


def _cited(said: set[str], message: str, document: Document) -> bool:
    if document.id.removeprefix("mem:") in message:
        return True
    title = {token for token in tokens(document.title) if token not in STOP_WORDS}
    return bool(title) and len(title & said) >= CITED_SHARE * len(title)
