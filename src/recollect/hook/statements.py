"""What a prompt says that will still bind: a draft of it, after the prompt has been answered.

Runs when the answer is printed, so that no memory waits for it, and within a time of its own. Most prompts
have no cue and do not come here; the detector is six modules, and the rest loads for a statement only.
"""

from __future__ import annotations

import os

from recollect.paths import DRAFTS_FOLDER
from recollect.working.statements import find_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.working.statement_draft import Evidence

_CLOSEST = 8  # memories that are compared with a statement


def draft_prompt(event: Event, place: ProjectPaths) -> None:
    """Draft what a prompt states. Without a session, or in a project without state, nothing is drafted."""
    if not event.session or not os.path.isdir(place.state) or not find_statements(event.prompt):
        return
    from recollect.hook.drafting import open_drafts
    from recollect.hook.working_memory import gate
    from recollect.working.statement_draft import draft_statements

    draft_statements(event.prompt, _evidence(event), open_drafts(place), gate(place), _holds(place))


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


def _evidence(event: Event) -> Evidence:
    """Where the prompt is in its session, as far as the transcript says."""
    from recollect.storage.sqlite.state import now
    from recollect.working.statement_draft import Evidence

    turn, line = 0, 0
    if event.transcript:
        from recollect.hook.user_turns import place_of

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
