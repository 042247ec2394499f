"""A session as the page shows it: its working memory, what happened, and what its prompts were given."""

from collections.abc import Iterable, Mapping
from typing import TypedDict

from recollect.app.sessions import SessionActivity
from recollect.ids import UnifiedId
from recollect.learning.trace import CandidateTrace
from recollect.views.edges import short_id
from recollect.views.sessions import SessionOutput, session_output
from recollect.working.history import Failure
from recollect.working.session_state import Injection
from recollect.working.view import View


class InjectionRow(TypedDict):
    """A memory that a prompt was given. `used` is read, touched or cited; `title` is null when it is gone.

    `threshold` and `signals` say how the gate judged the prompt, `scoring` names its trace; they are null and
    empty where traces are off or have been deleted.
    """

    memory: str
    title: str | None
    at: str
    probability: float
    used: str | None
    threshold: float | None
    signals: dict[str, float | None]
    scoring: str | None


class SessionEventRow(TypedDict):
    """Something at a tool call: `kind` is edit, commit, command, error, fixed, or why an item left."""

    event: int
    kind: str
    text: str


class RedactionRow(TypedDict):
    """An item from which a secret was removed: where it came from. Its value is stored nowhere."""

    event: int
    kind: str
    tool: str
    rule: str
    text: str


class SessionPageOutput(SessionOutput):
    """A session with its events and injections, the newest first."""

    events: list[SessionEventRow]
    injections: list[InjectionRow]
    redactions: list[RedactionRow]


def session_page(
    view: View | None,
    activity: SessionActivity,
    titles: Mapping[UnifiedId, str],
    scorings: Iterable[CandidateTrace],
) -> SessionPageOutput:
    """One session. `scorings` are how the gate judged its prompts."""
    judged = {trace.at[:19]: trace for trace in scorings}
    return {
        **session_output(view),
        "events": _events(view, activity),
        "injections": [
            _injection_row(injection, titles, judged.get(injection.at[:19]))
            for injection in activity.injections
        ],
        "redactions": _redactions(view),
    }


def _injection_row(
    injection: Injection, titles: Mapping[UnifiedId, str], judged: CandidateTrace | None
) -> InjectionRow:
    return {
        "memory": short_id(injection.memory),
        "title": titles.get(injection.memory),
        "at": injection.at,
        "probability": round(injection.probability, 4),
        "used": injection.used,
        "threshold": judged.threshold if judged else None,
        "signals": dict(judged.signals) if judged else {},
        "scoring": judged.scoring if judged else None,
    }


def _events(view: View | None, activity: SessionActivity) -> list[SessionEventRow]:
    rows = [
        SessionEventRow(event=each.event, kind=each.kind, text=each.text) for each in activity.actions
    ]
    rows += [_failure_row(failure) for failure in activity.failures]
    for gone in view.left if view else ():
        rows.append({"event": gone.event, "kind": gone.reason, "text": gone.content})
    return sorted(rows, key=lambda row: -row["event"])


def _failure_row(failure: Failure) -> SessionEventRow:
    times = f" ({failure.times} times)" if failure.times > 1 else ""
    kind = "fixed" if failure.resolved else "error"
    return {"event": failure.event, "kind": kind, "text": failure.content + times}


def _redactions(view: View | None) -> list[RedactionRow]:
    items = [item for item, _ in view.memory.ranked()] if view else []
    return [
        {
            "event": item.provenance.event,
            "kind": item.kind,
            "tool": item.provenance.tool,
            "rule": item.provenance.rule,
            "text": item.content,
        }
        for item in items
        if item.provenance.redaction_applied
    ]
