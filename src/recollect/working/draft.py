"""Drafts: a session's summary and the fix of an error, put together from recorded events. No model.

The same events give the same draft. A draft is for review: a tool wrote it, and no person confirmed it.
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.history import fingerprint_label
from recollect.working.turns import short_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recollect.errors import NotFoundError
    from recollect.working.history import Action, Failure, SessionHistory

MOST_LINES = 10  # of one list in a draft
_TITLE = 120
_BLOCKING = 3  # occurrences that make an error a blocker
_REQUIRED = ("goal", "outcome", "completed", "next_actions")
NO_GOAL = "Unknown: no prompt was seen"


def unknown_draft(name: str, names: Sequence[str]) -> NotFoundError:
    """That no draft has this name, with some names that there are."""
    from recollect.errors import NotFoundError

    known = ", ".join(names[:5]) or "none"
    return NotFoundError(
        f"there is no draft {name!r}; available: {known}. `recollect session drafts` lists them."
    )


class StoredDraft(Frozen):
    """A draft and its name."""

    name: str
    document: dict[str, Any]

    @property
    def session(self) -> str:
        """The session that it comes from."""
        source = self.document.get("source")
        return str(source.get("session") or "") if isinstance(source, dict) else ""

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """Where a person said it, each time; nothing for what no person said."""
        source = self.document.get("source")
        rows = source.get("evidence") if isinstance(source, dict) else None
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    @property
    def fingerprint(self) -> str:
        """The error that a runbook fixes; '' for a summary."""
        content = self.document.get("content")
        symptoms = content.get("symptoms") if isinstance(content, dict) else None
        texts = [text for text in symptoms or () if isinstance(text, str)]
        label = fingerprint_label("")
        return next((text[len(label) :] for text in texts if text.startswith(label)), "")


def summary(history: SessionHistory) -> dict[str, list[str] | str]:
    """The content of a session's summary."""
    commits = [action for action in history.actions if action.kind == "commit"]
    edits = [action for action in history.actions if action.kind == "edit"]
    last_commit = max((action.event for action in commits), default=-1)
    unresolved = [failure for failure in history.failures if not failure.resolved]
    fixed = [failure for failure in history.failures if failure.resolved]
    blockers = [failure for failure in unresolved if failure.times >= _BLOCKING]
    completed = [short_line(action.text) for action in commits]
    completed += [f"Fixed: {_headline(failure)}" for failure in fixed]
    if edits:
        completed.append(short_line("Edited " + ", ".join(edit.text for edit in edits[-MOST_LINES:])))
    uncommitted = [edit.text for edit in edits if edit.event > last_commit]
    open_ends: dict[str, list[str] | str] = {
        "in_progress": [short_line(f"Not committed: {', '.join(uncommitted[-MOST_LINES:])}")]
        if uncommitted
        else [],
        "next_actions": _open(failure for failure in unresolved if failure not in blockers),
        "blockers": _open(blockers),
    }
    outcome = "blocked" if blockers else "partial" if any(open_ends.values()) else "success"
    return {
        "goal": history.goal or _goal_from(commits, edits),
        "outcome": outcome,
        "completed": completed[-MOST_LINES:],
        **open_ends,
        "key_changes": [edit.text for edit in edits[-MOST_LINES:]],
    }


def summary_document(history: SessionHistory) -> dict[str, Any]:
    """A session's summary as an unconfirmed memory."""
    content = summary(history)
    return {
        "category": "session_summary",
        "title": f"Session: {content['goal']}"[:_TITLE].strip(),
        "tags": ["session", *([history.harness] if history.harness else [])],
        "related_files": content["key_changes"],
        "confidence": 0.5,
        "content": {name: value for name, value in content.items() if value or name in _REQUIRED},
        "source": {"kind": "tool", "session": history.session},
    }


def runbook_document(failure: Failure, history: SessionHistory) -> dict[str, Any] | None:
    """The fix of an error as an unconfirmed runbook; None when no action preceded the fix."""
    since = [
        action for action in history.actions if action.event > failure.event and action.kind != "commit"
    ]
    if not since:
        return None
    files = [action.text for action in since if action.kind == "edit"][-MOST_LINES:]
    steps = [_step(action) for action in since][-MOST_LINES:]
    return {
        "category": "runbook",
        "title": f"Fix: {_headline(failure)}"[:_TITLE].strip(),
        "tags": ["fix", "error"],
        "related_files": files,
        "confidence": 0.4,
        "content": {
            "trigger": _headline(failure),
            "steps": steps,
            "verification": short_line(f"`{failure.command}` succeeds."),
            "symptoms": [
                short_line(" ".join(failure.content.split())),
                fingerprint_label(failure.fingerprint),
            ],
        },
        "source": {"kind": "tool", "session": history.session},
    }


def _step(action: Action) -> str:
    return short_line(f"Edit {action.text}" if action.kind == "edit" else f"Run `{action.text}`")


def _open(failures: Iterable[Failure]) -> list[str]:
    lines = [short_line(f"`{failure.command}` fails: {_headline(failure)}") for failure in failures]
    return lines[-MOST_LINES:]


def _goal_from(commits: list[Action], edits: list[Action]) -> str:
    """The goal of a session whose prompts were not seen."""
    if commits:
        return short_line(commits[0].text)
    names = ", ".join(edit.text.rsplit("/", 1)[-1] for edit in edits[:3])
    return short_line(f"Work on {names}") if names else NO_GOAL


def _headline(failure: Failure) -> str:
    """An error in one line: without the command, and a heading together with the line below it."""
    lines = [line.strip() for line in failure.content.splitlines() if line.strip()]
    lines = [line for line in lines if line != failure.command] or ["an error"]
    if lines[0].endswith(":") and len(lines) > 1:
        return short_line(f"{lines[0]} {lines[1].removeprefix('- ')}")
    return short_line(lines[0])
