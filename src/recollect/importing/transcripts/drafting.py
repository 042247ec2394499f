"""What an imported session leaves for a person to decide about: a summary, and runbooks of solved errors."""

import hashlib
import json
from typing import Any

from recollect.importing.transcripts.past_session import PastReader
from recollect.working.draft import summary_document


def session_drafts(session: PastReader) -> dict[str, dict[str, Any]]:
    """The drafts of a session by name, with the line of the transcript that each comes from.

    The names are those that a hook gives: a session that was recorded while it ran is not drafted twice.
    """
    drafts: dict[str, dict[str, Any]] = {}
    history = session.history
    if history and session.id:
        document = _at_line(summary_document(history), session.goal_line)
        if session.ended_at:
            document["created_at"] = session.ended_at  # else an old session would count as the last one
        drafts[f"session-{session.id}"] = document
    for fix in session.fixes:
        drafts[f"runbook-{fix.failure.fingerprint}"] = _at_line(fix.document, fix.line)
    return drafts


def _at_line(document: dict[str, Any], line: int) -> dict[str, Any]:
    """A draft whose source names a line of its session's transcript."""
    if not line:
        return document
    return {**document, "source": {**document["source"], "line": line}}


def digest(document: dict[str, Any]) -> str:
    """What tells one version of a draft from another."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
