"""A prompt: the one or two memories that matter, once, or nothing."""

from collections.abc import Sequence
from typing import cast

from recollect.agents.event import NOTHING, Event, Reply
from recollect.hook import transcript, warm
from recollect.hook.injection import SEARCH_POINTER, block
from recollect.hook.lookup import is_current, is_drifted, open_index, pointer, synchronised
from recollect.hook.place import Place
from recollect.ids import UnifiedId
from recollect.retrieval.enrich import FEW, enriched, meaningful
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.search import Settings, Strategy, recall
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.state import NAME as STATE_NAME
from recollect.storage.sqlite.state import State

SHORTEST = 10  # characters of a prompt that is looked at
_FILTERS = Filters(only_valid=True, only_trusted=True)


def on_prompt(event: Event, place: Place) -> Reply:
    """What a prompt is given. A memory is given once in a session, until its context is compacted."""
    most = place.config.number("retrieval.max_inject")
    text = event.prompt.strip()
    if len(text) < SHORTEST or text.startswith("/") or not most:
        return NOTHING
    query, files = _asked(text, event.transcript)
    documents, probability = _found(query, files, place, most)
    return _given(event.session, documents, probability, place)


def _asked(text: str, path: str) -> tuple[str, list[str]]:
    """The query, enriched from the transcript only when the prompt says too little by itself."""
    turns = transcript.user_turns(path) if meaningful(text) <= FEW else []
    if turns and turns[-1] == text:
        turns = turns[:-1]  # some harnesses write the prompt down before they ask
    return enriched(text, turns), transcript.touched_files(path)


def _found(query: str, files: Sequence[str], place: Place, most: int) -> tuple[list[Document], float]:
    index = open_index(place)
    told = warm.ask(place.root.state, query, files)
    known = None if told is None else _known(told.ids[:most], index)
    if told is not None and known is not None:
        found, probability = known, told.probability
    else:
        found, probability = _recalled(query, files, index, place, most)
    if not all(is_current(document, place, index.connection) for document in found):
        index = synchronised(place)  # a file was edited in place: look again, from what it says now
        found, probability = _recalled(query, files, index, place, most)
    return [document for document in found if not is_drifted(document, place)], probability


def _recalled(
    query: str, files: Sequence[str], index: SqliteIndex, place: Place, most: int
) -> tuple[list[Document], float]:
    strategy = cast("Strategy", place.config.text("retrieval.match_strategy"))
    settings = Settings(
        "fts5_bm25" if strategy == "hybrid" else strategy, place.config.text("retrieval.fusion")
    )
    answer = recall(query, index, _FILTERS, settings, files=files, most=most)
    probability = answer.verdict.probability if answer.verdict else 0.0
    return [hit.document for hit in answer.hits], probability


def _known(ids: Sequence[UnifiedId], index: SqliteIndex) -> list[Document] | None:
    """What our own index says of the ids that the server named; None when it has not got them all."""
    found = index.by_ids(ids, _FILTERS)
    return list(found.values()) if found.keys() == set(ids) else None


def _given(session: str, documents: list[Document], probability: float, place: Place) -> Reply:
    state = State(place.root.state / STATE_NAME)
    try:
        if not documents:
            return Reply(SEARCH_POINTER) if state.point(session) else NOTHING
        new = set(state.give(session, [document.id for document in documents], probability))
    finally:
        state.close()
    pointers = [pointer(document) for document in documents if document.id in new]
    return Reply(block(pointers, place.root.shown))
