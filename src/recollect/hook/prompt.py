"""A prompt: the one to three memories that matter, once, or nothing."""

from __future__ import annotations

import os
from time import perf_counter

from recollect.agents.event import NOTHING, HookReply
from recollect.hook.databases import MOST_WAL_BYTES, checkpoint_long_wals, in_memory_state, open_state
from recollect.hook.index_lookup import (
    is_current,
    is_drifted,
    open_index,
    pointer,
    refreshed,
)
from recollect.hook.injection import block, search_pointer
from recollect.hook.process import ANSWER_LOCK_WAIT, SERVER_WAIT, note_failure
from recollect.paths import HOOK_SOCKET, STATE_NAME
from recollect.retrieval.gate import traced
from recollect.retrieval.index import Filters
from recollect.retrieval.query import FEW, enriched, meaningful, skip_reason
from recollect.retrieval.search import Settings, recall
from recollect.storage.sqlite.state import days_ago, now
from recollect.values import Frozen, replaced
from recollect.working.session_state import GateScoring, prompt_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.config import Config
    from recollect.hook.project_paths import ProjectPaths
    from recollect.hook.warm_client import WarmAnswer
    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.retrieval.gate import GateVerdict
    from recollect.retrieval.index import Document
    from recollect.retrieval.search import Strategy
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.working.recorder import SessionRecorder


def on_prompt(event: Event, place: ProjectPaths) -> HookReply:
    """Answer a prompt with memories. A session gets each memory once, until its context is compacted.

    If the state is corrupt, locked or read-only, the injection is not recorded, and memories may be injected
    again.
    """
    index = open_index(place)
    try:
        return _reply(_context_of(event, place, open_state(place, ANSWER_LOCK_WAIT)), index)
    except Exception as error:
        note_failure(error)
        return _reply(_context_of(replaced(event, session=""), place, in_memory_state()), index)
    finally:
        checkpoint_long_wals(place, MOST_WAL_BYTES, (STATE_NAME,))


def _reply(context: PromptContext, index: SqliteIndex) -> HookReply:
    """Search for the prompt. A prompt too short for that still gets a runbook for the error before it."""
    event, place, state = context.event, context.place, context.state
    runbooks = _current(context.runbooks(), index, context)
    most = place.config.retrieval.max_inject
    text = event.prompt.strip()
    if not most or skip_reason(text):
        return (
            _inject(event.session, PromptMatches(runbooks, 1.0), place, state) if runbooks else NOTHING
        )
    query, files = _query(text, context)
    started = perf_counter()
    matches = _matches(query, files, index, context, most)
    scoring = matches.scoring
    if scoring is not None:
        is_traced, shows = place.config.learning.traces, bool(matches.documents)
        scoring = _completed(scoring, query, shows=shows, started=started) if is_traced else None
    others = [document for document in matches.documents if document not in runbooks]
    shown = PromptMatches([*runbooks, *others], matches.probability, scoring)
    return _inject(event.session, shown, place, state, follows=query != text)


def _completed(scoring: GateScoring, query: str, *, shows: bool, started: float) -> GateScoring:
    """A scoring with the digest of its query, what was decided, and how long that took."""
    passed = scoring.score >= scoring.threshold
    return replaced(
        scoring,
        context=prompt_digest(query),
        decision="accepted" if shows else "policy" if passed else "below_threshold",
        milliseconds=(perf_counter() - started) * 1000,
    )


def _current(ids: Sequence[UnifiedId], index: SqliteIndex, context: PromptContext) -> list[Document]:
    """The documents of these ids as their files are now, without those whose code has changed."""
    if not ids:
        return []
    place = context.place
    documents = list(index.by_ids(ids, context.filters).values())
    if stale := _stale(documents, place, index):
        index = refreshed(place, stale)
        documents = list(index.by_ids(ids, context.filters).values())
        documents = _up_to_date(documents, place, index)
    return _without_drifted(documents, place)


def _stale(documents: Sequence[Document], place: ProjectPaths, index: SqliteIndex) -> list[Document]:
    return [document for document in documents if not is_current(document, place, index)]


def _up_to_date(
    documents: Sequence[Document], place: ProjectPaths, index: SqliteIndex
) -> list[Document]:
    return [document for document in documents if is_current(document, place, index)]


def _without_drifted(documents: Sequence[Document], place: ProjectPaths) -> list[Document]:
    """The documents without those whose code has changed."""
    return [document for document in documents if not is_drifted(document, place)]


class PromptMatches(Frozen):
    """The memories for a prompt, how sure that is, and how the gate judged them, if it did."""

    documents: list[Document]
    probability: float
    scoring: GateScoring | None = None


class PromptContext(Frozen):
    """What the session is doing: looked at only when there is something to see."""

    event: Event
    place: ProjectPaths
    state: SessionRecorder
    filters: Filters
    has_goal: bool
    is_busy: bool

    def runbooks(self) -> list[UnifiedId]:
        """The runbooks to show with this prompt. Items that the prompt mentions gain attention."""
        # Without a goal it is read from the transcript, when it is needed.
        if not self.is_busy and (self.has_goal or self.event.transcript):
            return []
        from recollect.errors import InvalidConfigError
        from recollect.hook.working_memory import on_prompt_mentions

        try:
            return on_prompt_mentions(self.event, self.place, self.state)
        except InvalidConfigError as error:
            note_failure(error)  # nothing may be written, but memories can still be shown
            return []

    def turns(self, *, wanted: bool) -> list[str]:
        """The session's earlier prompts, if wanted; stores this one, because there is no transcript."""
        event, state = self.event, self.state
        if not event.session:
            return []
        from recollect.errors import InvalidConfigError
        from recollect.hook.working_memory import gate
        from recollect.working.turns import stored_part

        earlier = state.stores.turns.turns(event.session) if wanted else []
        try:
            prompt = stored_part(event.prompt, gate(self.place))
            state.keep_turn(event.session, prompt)
        except InvalidConfigError as error:
            note_failure(error)  # nothing may be written, but memories can still be shown
        return earlier

    def attention(self, index: SqliteIndex) -> Attention | None:
        """What the session pays attention to, for the boosts that are switched on."""
        if not self.is_busy:
            return None
        from recollect.hook.working_memory import attention

        return attention(self.event, self.place, index, self.state)


def _context_of(event: Event, place: ProjectPaths, state: SessionRecorder) -> PromptContext:
    since = place.config.categories.retained_since(days_ago)
    wanted = Filters(in_force_at=now(), only_trusted=True, retained_since=since)
    has_goal = bool(state.stores.sessions.state(event.session).goal)
    is_busy = state.is_busy(event.session)
    return PromptContext(event, place, state, wanted, has_goal, is_busy)


def _query(text: str, context: PromptContext) -> tuple[str, list[str]]:
    """The query, enriched with earlier turns only if the prompt has few meaningful words."""
    says_little, path = meaningful(text) <= FEW, context.event.transcript
    if not path:
        return enriched(text, context.turns(wanted=says_little)), []
    from recollect.hook.transcript import touched_files

    turns = _turns(text, context.event) if says_little else []
    return enriched(text, turns), touched_files(path, context.event.harness)


def _turns(text: str, event: Event) -> list[str]:
    from recollect.hook.user_turns import user_turns

    turns = user_turns(event.transcript, event.harness)
    # Some harnesses write the prompt down before they ask.
    return turns[:-1] if turns[-1:] == [text] else turns


def _matches(
    query: str, files: Sequence[str], index: SqliteIndex, context: PromptContext, most: int
) -> PromptMatches:
    """The memories that answer a query, and how sure that is: by the running server, else by ourselves."""
    place = context.place
    warm = _ask_server(query, files, context)
    documents = None if warm is None else _documents(warm.ids[:most], index, context.filters)
    if warm is not None and documents is not None:
        matches = PromptMatches(documents, warm.probability, warm.scoring)
    else:
        matches = _search(query, files, index, context, most)
    documents = matches.documents
    if stale := _stale(documents, place, index):
        index = refreshed(place, stale)  # files were edited in place: search again in their new text
        matches = _search(query, files, index, context, most)
        documents = _up_to_date(matches.documents, place, index)
    return replaced(matches, documents=_without_drifted(documents, place))


def _ask_server(query: str, files: Sequence[str], context: PromptContext) -> WarmAnswer | None:
    place = context.place
    if not os.path.lexists(place.state_file(HOOK_SOCKET)):
        return None
    from recollect.hook import warm_client

    seconds = SERVER_WAIT * place.patience
    return warm_client.ask(place.state, query, files, context.event.session, seconds)


def _search(
    query: str, files: Sequence[str], index: SqliteIndex, context: PromptContext, most: int
) -> PromptMatches:
    config = context.place.config
    fusion = config.retrieval.fusion
    settings = Settings(own_strategy(config), fusion, attention=context.attention(index))
    answer = recall(query, index, context.filters, settings, files=files, most=most)
    verdict = answer.verdict
    probability = verdict.probability if verdict else 0.0
    documents = [hit.document for hit in answer.hits]
    return PromptMatches(documents, probability, _scoring(verdict) if verdict else None)


def _scoring(verdict: GateVerdict) -> GateScoring | None:
    numbers = traced(verdict)
    if numbers is None:
        return None
    return GateScoring("", verdict.best, *numbers, verdict.probability, verdict.threshold, "", 0.0)


def own_strategy(config: Config) -> Strategy:
    """The strategy of a hook's own search: hooks load no model."""
    return "title_tags" if config.retrieval.match_strategy == "title_tags" else "fts5_bm25"


def _documents(ids: Sequence[UnifiedId], index: SqliteIndex, filters: Filters) -> list[Document] | None:
    """The documents of the ids that the server named; None when our index lacks one of them."""
    documents = index.by_ids(ids, filters)
    return list(documents.values()) if documents.keys() == set(ids) else None


def _inject(
    session: str,
    matches: PromptMatches,
    place: ProjectPaths,
    state: SessionRecorder,
    *,
    follows: bool = False,
) -> HookReply:
    documents, scoring = matches.documents, matches.scoring
    if not documents:
        return (
            HookReply(search_pointer(place.search_skill))
            if state.point_to_search(session, is_follow_up=follows, scoring=scoring)
            else NOTHING
        )
    ids = [document.id for document in documents]
    new = set(state.give(session, ids, matches.probability, scoring))
    pointers = [pointer(document, place) for document in documents if document.id in new]
    return HookReply(block(pointers, place.shown))
