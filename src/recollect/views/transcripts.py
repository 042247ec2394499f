"""What an import made of transcripts."""

from collections.abc import Sequence

from recollect.app.transcript_import import TranscriptOutcome
from recollect.views.transfers import ImportItemRow, ImportOutput


def transcripts_output(outcomes: Sequence[TranscriptOutcome], *, applied: bool) -> ImportOutput:
    """An import of transcripts as any other: a row for each session, with its drafts as notes."""
    rows = [_row(outcome) for outcome in outcomes]
    return {
        "applied": applied,
        "kind": "transcripts",
        "created": sum(row["action"] == "create" for row in rows),
        "updated": 0,
        "skipped": sum(row["action"] == "skip" for row in rows),
        "rows": rows,
        "embedded": 0,
        "drafts": sum(len(outcome.drafts) for outcome in outcomes),
        "held_back": sum(outcome.held_back for outcome in outcomes),
    }


def _row(outcome: TranscriptOutcome) -> ImportItemRow:
    notes = [f"draft {name}: {document.get('title')}" for name, document in outcome.drafts]
    if outcome.unreadable:
        notes.append(f"{outcome.unreadable} lines skipped")
    return {
        "origin": outcome.transcript,
        "action": "skip" if outcome.skipped else "create",
        "id": outcome.session or None,
        "title": outcome.goal or None,
        "reason": outcome.skipped or f"{outcome.harness} session of {outcome.ended_at[:10]}",
        "notes": notes,
    }
