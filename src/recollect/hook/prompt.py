"""A prompt: the one or two memories that matter, once, or nothing."""

from __future__ import annotations

import os

from recollect.agents.event import NOTHING, HookReply
from recollect.hook.databases import MOST_WAL_BYTES, checkpoint_long_wals, in_memory_state, open_state
from recollect.hook.index_lookup import (
    is_current,
    is_drifted,
    open_index,
    pointer,
    synchronised,
)
from recollect.hook.injection import SEARCH_POINTER, block
from recollect.hook.limits import ANSWER_LOCK_WAIT, SERVER_WAIT
from recollect.hook.process import note_failure
from recollect.retrieval.enrich import FEW, enriched, meaningful, skip_reason
from recollect.retrieval.index import Filters
from recollect.retrieval.search import Settings, recall
from recollect.storage.sqlite.state import now
from recollect.user_paths import HOOK_SOCKET
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.config import Config
    from recollect.hook.project_paths import ProjectPaths
    from recollect.hook.warm_client import WarmAnswer
    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.retrieval.index import Document
    from recollect.retrieval.search import Strategy
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.working.recorder import SessionRecorder


def on_prompt(event: Event, place: ProjectPaths, harness: str) -> HookReply:
    """What a prompt is given. A memory is given once in a session, until its context is compacted.

    A state that is corrupt, locked or read-only keeps no memory back: it is given without being noted, and
    may be given again.
    """
    index = open_index(place)
    try:
        return _answer(_mind(event, place, harness, open_state(place, ANSWER_LOCK_WAIT)), index)
    except Exception as error:
        note_failure(error)
        return _answer(_mind(replaced(event, session=""), place, harness, in_memory_state()), index)
    finally:
        checkpoint_long_wals(place, MOST_WAL_BYTES)


def _answer(mind: PromptContext, index: SqliteIndex) -> HookReply:
    """A prompt too short to be looked at is still told of a runbook for the error that came up before it."""
    event, place, state = mind.event, mind.place, mind.state
    runbooks = _standing(mind.runbooks(), index, mind)
    most = place.config.retrieval.max_inject
    text = event.prompt.strip()
    if not most or skip_reason(text):
        return _given(event.session, runbooks, 1.0, place, state) if runbooks else NOTHING
    query, files = _asked(text, mind)
    documents, probability = _found(query, files, index, mind, most)
    others = [document for document in documents if document not in runbooks]
    follows = query != text
    return _given(event.session, [*runbooks, *others], probability, place, state, follows=follows)


def _standing(ids: Sequence[UnifiedId], index: SqliteIndex, mind: PromptContext) -> list[Document]:
    """The documents of these ids as their files stand now, without those whose code has changed."""
    if not ids:
        return []
    place = mind.place
    found = index.by_ids(ids, mind.filters).values()
    if not all(is_current(document, place, index) for document in found):
        found = synchronised(place).by_ids(ids, mind.filters).values()
    return [document for document in found if not is_drifted(document, place)]


class PromptContext(Frozen):
    """What the session is doing: looked at only when there is something to see."""

    event: Event
    place: ProjectPaths
    harness: str
    state: SessionRecorder
    filters: Filters
    has_goal: bool
    is_busy: bool

    def runbooks(self) -> list[UnifiedId]:
        """The runbooks that this prompt is to be told of. What the prompt speaks of matters more now."""
        # Without a goal it is read from the transcript, when it is needed.
        if not self.is_busy and (self.has_goal or self.event.transcript):
            return []
        from recollect.errors import InvalidConfigError
        from recollect.hook.working_memory import on_prompt_mentions

        try:
            return on_prompt_mentions(self.event, self.place, self.harness, self.state)
        except InvalidConfigError as error:
            note_failure(error)  # nothing may be written, and what is known can still be told
            return []

    def turns(self, *, wanted: bool) -> list[str]:
        """The session's prompts before this one, if wanted, where no transcript keeps them: so we keep it."""
        event, state = self.event, self.state
        if not event.session:
            return []
        from recollect.errors import InvalidConfigError
        from recollect.redaction.user_patterns import redactor
        from recollect.working.turns import stored_part

        found = state.stores.turns.turns(event.session) if wanted else []
        try:
            prompt = stored_part(event.prompt, redactor(self.place.config.redaction))
            state.keep_turn(event.session, prompt)
        except InvalidConfigError as error:
            note_failure(error)  # nothing may be written, and what is known can still be told
        return found

    def attention(self, index: SqliteIndex) -> Attention | None:
        """What the session pays attention to, for the boosts that are switched on."""
        if not self.is_busy:
            return None
        from recollect.hook.working_memory import attention

        return attention(self.event, self.place, index, self.state)


def _mind(event: Event, place: ProjectPaths, harness: str, state: SessionRecorder) -> PromptContext:
    wanted = Filters(valid_at=now(), only_trusted=True)
    has_goal = bool(state.stores.sessions.state(event.session).goal)
    is_busy = state.is_busy(event.session)
    return PromptContext(event, place, harness, state, wanted, has_goal, is_busy)


def _asked(text: str, mind: PromptContext) -> tuple[str, list[str]]:
    """The query, enriched from what was said before only when the prompt says too little by itself."""
    says_little, path = meaningful(text) <= FEW, mind.event.transcript
    if not path:
        return enriched(text, mind.turns(wanted=says_little)), []
    from recollect.hook.transcript import touched_files

    turns = _turns(text, mind.event) if says_little else []
    return enriched(text, turns), touched_files(path, mind.event.harness)


def _turns(text: str, event: Event) -> list[str]:
    from recollect.hook.user_turns import user_turns

    turns = user_turns(event.transcript, event.harness)
    # Some harnesses write the prompt down before they ask.
    return turns[:-1] if turns[-1:] == [text] else turns


def _found(
    query: str, files: Sequence[str], index: SqliteIndex, mind: PromptContext, most: int
) -> tuple[list[Document], float]:
    place = mind.place
    told = _warm(query, files, place)
    known = None if told is None else _known(told.ids[:most], index, mind.filters)
    if told is not None and known is not None:
        found, probability = known, told.probability
    else:
        found, probability = _recalled(query, files, index, mind, most)
    if not all(is_current(document, place, index) for document in found):
        index = synchronised(place)  # a file was edited in place: look again, from what it says now
        found, probability = _recalled(query, files, index, mind, most)
    return [document for document in found if not is_drifted(document, place)], probability


def _warm(query: str, files: Sequence[str], place: ProjectPaths) -> WarmAnswer | None:
    if not os.path.lexists(place.kept(HOOK_SOCKET)):
        return None
    from recollect.hook import warm_client

    return warm_client.ask(place.state, query, files, SERVER_WAIT * place.patience)


def _recalled(
    query: str, files: Sequence[str], index: SqliteIndex, mind: PromptContext, most: int
) -> tuple[list[Document], float]:
    config = mind.place.config
    fusion = config.retrieval.fusion
    settings = Settings(own_strategy(config), fusion, attention=mind.attention(index))
    answer = recall(query, index, mind.filters, settings, files=files, most=most)
    probability = answer.verdict.probability if answer.verdict else 0.0
    return [hit.document for hit in answer.hits], probability


def own_strategy(config: Config) -> Strategy:
    """What a hook searches with by itself: no model is loaded here."""
    return "title_tags" if config.retrieval.match_strategy == "title_tags" else "fts5_bm25"


def _known(ids: Sequence[UnifiedId], index: SqliteIndex, filters: Filters) -> list[Document] | None:
    """What our own index says of the ids that the server named; None when it has not got them all."""
    found = index.by_ids(ids, filters)
    return list(found.values()) if found.keys() == set(ids) else None


def _given(
    session: str,
    documents: list[Document],
    probability: float,
    place: ProjectPaths,
    state: SessionRecorder,
    *,
    follows: bool = False,
) -> HookReply:
    if not documents:
        return (
            HookReply(SEARCH_POINTER)
            if state.point_to_search(session, is_follow_up=follows)
            else NOTHING
        )
    new = set(state.give(session, [document.id for document in documents], probability))
    pointers = [pointer(document) for document in documents if document.id in new]
    return HookReply(block(pointers, place.shown))
