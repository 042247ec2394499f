"""What a prompt says that will still bind: a draft of it, when nobody waits.

A prompt with a cue is noted, and looked at when its session pauses (`noted_prompts`). Where no transcript has
the prompt, it is looked at once its answer is printed, within a time of its own.
"""

from __future__ import annotations

import os

from recollect.hook.noted_prompts import forget_noted
from recollect.hook.user_turns import find_turns, place_of
from recollect.paths import DRAFTS_FOLDER
from recollect.working.statements import find_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.agents.event import Event
    from recollect.hook.noted_prompts import NotedPrompt
    from recollect.hook.project_paths import ProjectPaths
    from recollect.hook.user_turns import TypedTurn
    from recollect.working.statement_draft import Evidence

_CLOSEST = 8  # memories that are compared with a statement


def draft_prompt(event: Event, place: ProjectPaths) -> None:
    """Draft what a prompt states. Without a session, or in a project without state, nothing is drafted."""
    if event.session and os.path.isdir(place.state):
        _draft(event.prompt, lambda: _evidence(event), place)


def draft_noted(notes: Sequence[NotedPrompt], place: ProjectPaths, *, is_last: bool) -> None:
    """Draft what noted prompts state. A note stays while no transcript has the prompt, unless `is_last`."""
    for note, turn in _located(notes):
        try:
            if turn is not None:
                _draft(turn.text, lambda: _evidence_of(note, turn), place)  # noqa: B023 - called at once
        finally:
            if turn is not None or is_last:
                forget_noted([note])


def _located(notes: Sequence[NotedPrompt]) -> list[tuple[NotedPrompt, TypedTurn | None]]:
    """Each note with its turn, None where the transcript lacks it. Of equal turns the last ones count."""
    turns: dict[tuple[str, str], list[TypedTurn]] = {}
    for transcript, harness in dict.fromkeys((note.transcript, note.harness) for note in notes):
        digests = {note.digest for note in notes if note.transcript == transcript}
        for turn in find_turns(transcript, harness, digests):
            turns.setdefault((transcript, turn.digest), []).append(turn)
    located: list[tuple[NotedPrompt, TypedTurn | None]] = []
    for note in reversed(notes):
        equal = turns.get((note.transcript, note.digest))
        located.append((note, equal.pop() if equal else None))
    return located[::-1]


def _draft(prompt: str, evidence: Callable[[], Evidence], place: ProjectPaths) -> None:
    if not find_statements(prompt):
        return
    from recollect.hook.drafting import open_drafts
    from recollect.hook.working_memory import gate
    from recollect.working.statement_draft import draft_statements

    draft_statements(prompt, evidence(), open_drafts(place), gate(place), _holds(place))


def waiting_line(session: str, place: ProjectPaths) -> str:
    """How many things that were said in a session wait for a person; '' for none."""
    if not os.path.isdir(place.state_file(DRAFTS_FOLDER)):
        return ""
    from recollect.hook.drafting import open_drafts

    waiting = [
        draft
        for draft in open_drafts(place).all()
        if any(row.get("session") == session for row in draft.evidence)
    ]
    things = "1 thing" if len(waiting) == 1 else f"{len(waiting)} things"
    return f"{things} said may be worth keeping: `recollect review`" if waiting else ""


def _evidence_of(note: NotedPrompt, turn: TypedTurn) -> Evidence:
    from recollect.working.statement_draft import Evidence

    return Evidence(note.session, note.at, turn.number, note.transcript, turn.line)


def _evidence(event: Event) -> Evidence:
    """Where the prompt is in its session, as far as the transcript says."""
    from recollect.storage.sqlite.state import now
    from recollect.working.statement_draft import Evidence

    turn, line = 0, 0
    if event.transcript:
        turn, line = place_of(event.transcript, event.harness, event.prompt)
    return Evidence(event.session, now(), turn, event.transcript if line else "", line)


def _holds(place: ProjectPaths) -> Callable[[str], bool]:
    """Whether a memory in force says a sentence already."""

    def holds(sentence: str) -> bool:
        from recollect.hook.index_lookup import open_index
        from recollect.retrieval.index import Filters
        from recollect.storage.sqlite.state import now
        from recollect.text.stemming import stems
        from recollect.text.tokens import tokens
        from recollect.working.statement_draft import is_held

        index = open_index(place)
        terms = [(stem, 1) for stem in dict.fromkeys(stems(tokens(sentence)))]
        hits = index.by_words(terms, Filters(in_force_at=now()), _CLOSEST)
        ids = [fact.id for fact in index.facts([key for key, _ in hits]).values()]
        documents = index.by_ids(ids, Filters()).values()
        return any(
            is_held(sentence, [document.title, *document.body.splitlines()]) for document in documents
        )

    return holds
