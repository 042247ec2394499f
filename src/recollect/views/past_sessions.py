"""What a search of past sessions found."""

from typing import TypedDict

from recollect.working.past_sessions import PastHit


class PastHitRow(TypedDict):
    """Something that was said or done in a past session. `line` is that of its transcript.

    `kind` is said (by the user), answered, edited, committed or failed.
    """

    session: str
    harness: str
    at: str
    kind: str
    text: str
    goal: str
    transcript: str
    line: int


def past_hit_row(hit: PastHit) -> PastHitRow:
    """A hit in a past session."""
    session, entry = hit.session, hit.entry
    return {
        "session": session.id,
        "harness": session.harness,
        "at": entry.at or session.ended_at,
        "kind": entry.kind,
        "text": entry.text,
        "goal": session.goal,
        "transcript": session.transcript,
        "line": entry.line,
    }
