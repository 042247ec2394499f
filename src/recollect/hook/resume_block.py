"""The text for a starting session: its own working memory, or the open ends of the last session."""

from __future__ import annotations

from recollect.hook.injection import safe
from recollect.working.draft import NO_GOAL, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.working.history import SessionHistory
    from recollect.working.recorder import SessionRecorder

_MOST_ENDS = 5  # open ends that a session is shown
_CONTENT = 240  # characters of one line
_OPEN = ("blockers", "next_actions", "in_progress")
_LATEST = 50  # sessions that are searched for one with a history


def resume_lines(
    event: Event, recorder: SessionRecorder, summarised_at: str = ""
) -> tuple[list[str], bool]:
    """The lines for a starting session, and whether they are its own or those of the last session.

    `summarised_at` is when a session's summary was last saved as a memory, or the end of the retention of
    summaries; sessions that were last seen before add nothing.
    """
    is_own = _continues(event, recorder)
    if event.session:
        recorder.begin(event.session, event.harness)
    if is_own:
        return _own_lines(recorder, event.session), True
    return _last_lines(recorder, event.session, summarised_at), False


def _continues(event: Event, recorder: SessionRecorder) -> bool:
    """Whether this is a known session that continues.

    A session that began elsewhere is new here, even when it is resumed: it gets the last one's open ends.
    """
    if event.start == "compact":
        return True
    return event.start == "resume" and bool(recorder.stores.sessions.state(event.session).seen_at)


def _own_lines(recorder: SessionRecorder, session: str) -> list[str]:
    ranked = recorder.stores.sessions.memory(session).ranked()
    if not ranked:
        return []
    lines = [f"- ({level:.2f}) {safe(item.content, _CONTENT)}" for item, level in ranked]
    ends = _open_ends(recorder.history(session), ("blockers", "next_actions"))
    return ["Working memory of this session, what matters most first:", *lines, *ends]


def _last_lines(recorder: SessionRecorder, session: str, summarised_at: str) -> list[str]:
    """What the session before this one left open, whichever harness it was in."""
    for last in recorder.stores.sessions.latest(_LATEST):
        history = recorder.history(last.id)
        if last.id == session or not history:
            continue
        ends = _open_ends(history)
        if last.seen_at <= summarised_at or not ends:
            return []
        where = f", {safe(last.harness, 40)}" if last.harness else ""
        goal = str(summary(history)["goal"])
        shown_goal = "" if goal == NO_GOAL else f" {safe(goal, 200)}"
        return [f"Last session ({safe(last.seen_at[:10])}{where}):{shown_goal}", *ends]
    return []


def _open_ends(history: SessionHistory, names: Sequence[str] = _OPEN) -> list[str]:
    content = summary(history)
    ends = [end for name in names for end in content[name] if isinstance(content[name], list)]
    return [f"- still open: {safe(end, _CONTENT)}" for end in ends[:_MOST_ENDS]]
