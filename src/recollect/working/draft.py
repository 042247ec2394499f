"""Drafts: what a session was about and what fixed an error, put together from what was seen. No model.

The same events give the same draft. A draft is for review: a tool said it, and no person confirmed it.
"""

from __future__ import annotations

from recollect.working.history import mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from recollect.working.history import Action, Failure, Record

MOST_LINES = 10  # of one list in a draft
_LINE = 200  # characters of one line
_TITLE = 120
_GOAL_LEAST = 15  # characters of a prompt that says what a session is for
_STUCK = 3  # times that an error came back before it stands in the way
_ENDS = (". ", "? ", "! ", "\n")
NO_GOAL = "Not known: no prompt was seen"


def goal_of(prompt: str) -> str:
    """The first sentence of a prompt that says what is wanted; '' for one that does not."""
    text = prompt.strip()
    if len(text) < _GOAL_LEAST or text.startswith(("/", "<", "!")):
        return ""
    end = min((found + 1 for mark in _ENDS if (found := text.find(mark)) >= 0), default=len(text))
    return _line(text[:end] if end >= _GOAL_LEAST else text)


def summary(record: Record) -> dict[str, list[str] | str]:
    """The content of a session's summary."""
    commits = [deed for deed in record.deeds if deed.kind == "commit"]
    edits = [deed for deed in record.deeds if deed.kind == "edit"]
    committed = max((deed.event for deed in commits), default=-1)
    broken = [trouble for trouble in record.troubles if not trouble.resolved]
    fixed = [trouble for trouble in record.troubles if trouble.resolved]
    stuck = [trouble for trouble in broken if trouble.times >= _STUCK]
    completed = [_line(deed.text) for deed in commits]
    completed += [f"Fixed: {_telling(trouble)}" for trouble in fixed]
    if edits:
        completed.append(_line("Edited " + ", ".join(deed.text for deed in edits[-MOST_LINES:])))
    loose = [deed.text for deed in edits if deed.event > committed]
    ends: dict[str, list[str] | str] = {
        "in_progress": [_line(f"Not committed: {', '.join(loose[-MOST_LINES:])}")] if loose else [],
        "next_actions": _open(trouble for trouble in broken if trouble not in stuck),
        "blockers": _open(stuck),
    }
    outcome = "blocked" if stuck else "partial" if any(ends.values()) else "success"
    return {
        "goal": record.goal or _goal_from(commits, edits),
        "outcome": outcome,
        "completed": completed[-MOST_LINES:],
        **ends,
        "key_changes": [deed.text for deed in edits[-MOST_LINES:]],
    }


def summary_document(record: Record) -> dict[str, Any]:
    """A session's summary as a memory that nobody has confirmed."""
    content = summary(record)
    return {
        "category": "session_summary",
        "title": f"Session: {content['goal']}"[:_TITLE].strip(),
        "tags": ["session", *([record.harness] if record.harness else [])],
        "related_files": content["key_changes"],
        "confidence": 0.5,
        "content": {name: found for name, found in content.items() if found or name in _REQUIRED},
        "source": {"kind": "tool", "session": record.session},
    }


_REQUIRED = ("goal", "outcome", "completed", "next_actions")


def runbook_document(trouble: Failure, record: Record) -> dict[str, Any] | None:
    """What fixed an error, as a runbook that nobody has confirmed; None when nothing was done about it."""
    since = [deed for deed in record.deeds if deed.event > trouble.event and deed.kind != "commit"]
    if not since:
        return None
    files = [deed.text for deed in since if deed.kind == "edit"][-MOST_LINES:]
    steps = [_step(deed) for deed in since][-MOST_LINES:]
    return {
        "category": "runbook",
        "title": f"Fix: {_telling(trouble)}"[:_TITLE].strip(),
        "tags": ["fix", "error"],
        "related_files": files,
        "confidence": 0.4,
        "content": {
            "trigger": _telling(trouble),
            "steps": steps,
            "verification": _line(f"`{trouble.command}` succeeds."),
            "symptoms": [_line(" ".join(trouble.content.split())), mark(trouble.fingerprint)],
        },
        "source": {"kind": "tool", "session": record.session},
    }


def _step(deed: Action) -> str:
    return _line(f"Edit {deed.text}" if deed.kind == "edit" else f"Run `{deed.text}`")


def _open(troubles: Iterable[Failure]) -> list[str]:
    lines = [_line(f"`{one.command}` fails: {_telling(one)}") for one in troubles]
    return lines[-MOST_LINES:]


def _goal_from(commits: list[Action], edits: list[Action]) -> str:
    """What a session was for when no prompt of it was seen."""
    if commits:
        return _line(commits[0].text)
    names = ", ".join(deed.text.rsplit("/", 1)[-1] for deed in edits[:3])
    return _line(f"Work on {names}") if names else NO_GOAL


def _telling(trouble: Failure) -> str:
    """What an error says in one line: not the command, and a heading with what stands below it."""
    lines = [line.strip() for line in trouble.content.splitlines() if line.strip()]
    lines = [line for line in lines if line != trouble.command] or ["an error"]
    if lines[0].endswith(":") and len(lines) > 1:
        return _line(f"{lines[0]} {lines[1].removeprefix('- ')}")
    return _line(lines[0])


def _line(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _LINE else one[: _LINE - 1].rstrip() + "…"
