"""Working memory at the hook: records tool outputs, and reads the items of a session."""

from __future__ import annotations

import os

from recollect.storage.sqlite.state import now
from recollect.values import replaced
from recollect.working.redacted import NO_TEXT, redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.config import RedactionConfig
    from recollect.hook.project_paths import ProjectPaths
    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.working.recorder import SessionRecorder
    from recollect.working.redacted import Redact, RedactedText, Secret
    from recollect.working.rules import Rule
    from recollect.working.tool_call import ToolCall

_MOST_RUNBOOKS = 2


def on_tool_output(event: Event, place: ProjectPaths, recorder: SessionRecorder) -> None:
    """A tool call is finished: record it, with an item if a rule makes one of its output.

    A user's rule that is refused is left out. Raises InvalidConfigError about it in the end, so that the
    hook logs it.
    """
    if not event.session:
        return
    from recollect.agents.harnesses import get_harness
    from recollect.working.default_rules import default_rules
    from recollect.working.rules import in_force

    defaults = default_rules(get_harness(event.harness).tools)
    rules, problems = in_force(place.config.rules, defaults)
    call = _captured(event, place, rules)
    try:
        _record(event, call, place, recorder)
    except Exception as error:
        if not is_busy(error):
            raise
        from recollect.hook.pending_calls import put_aside

        put_aside(place, event.session, event.harness, call)
    if problems:
        from recollect.errors import InvalidConfigError

        raise InvalidConfigError(" ".join(problems))


def is_busy(error: Exception) -> bool:
    """Whether another process has the database, so that a later hook can record the call."""
    from recollect.errors import UnwritableError

    return isinstance(error, UnwritableError) and ("locked" in str(error) or "busy" in str(error))


def take_in_pending(place: ProjectPaths, recorder: SessionRecorder) -> None:
    """Record the tool calls that earlier hooks put aside; those that still cannot be stay there."""
    if not os.path.isdir(place.pending_calls):
        return
    from recollect.hook.pending_calls import take_in

    try:
        take_in(place, recorder)
    except Exception as error:
        if not is_busy(error):
            raise


def on_prompt_mentions(event: Event, place: ProjectPaths, recorder: SessionRecorder) -> list[UnifiedId]:
    """A prompt makes the items that it names matter more. The runbooks that it is shown."""
    if not event.session:
        return []
    recorder.begin(event.session, event.harness, new_goal(event, place, recorder))
    recorder.mention(event.session, event.prompt)
    return recorder.take_waiting(event.session)


def new_goal(event: Event, place: ProjectPaths, recorder: SessionRecorder) -> RedactedText:
    """The goal of a session that has none yet: its first prompt that states one, else this prompt's."""
    if recorder.stores.sessions.state(event.session).goal:
        return NO_TEXT
    from recollect.working.turns import goal_of, start_of

    first = event.prompt
    if event.transcript:
        from recollect.hook.user_turns import first_turns

        turns = first_turns(event.transcript, event.harness)
        first = next((text for text in turns if goal_of(text)), first)
    if not goal_of(first):
        return NO_TEXT
    # Redact before cutting: the gate does not recognise half a secret.
    clean = redact_text(start_of(first), gate(place))
    return replaced(clean, text=goal_of(clean.text))


def attention(
    event: Event, place: ProjectPaths, index: SqliteIndex, recorder: SessionRecorder
) -> Attention | None:
    """What this session pays attention to, for the boosts that are on; None without any."""
    from recollect.app.attention import boosts_of, session_attention

    boosts = boosts_of(place.config)
    if not boosts or not event.session:
        return None
    return session_attention(event.session, recorder, index, index.edges, boosts)


def gate(place: ProjectPaths) -> Redact:
    """The redaction gate with the user's own patterns, loaded with the first text."""
    loaded: list[Redact] = []

    def redact(text: str) -> tuple[str, Sequence[Secret]]:
        if not loaded:
            loaded.append(_redactor(place.config.redaction))
        return loaded[0](text)

    return redact


def _redactor(config: RedactionConfig) -> Redact:
    if config.patterns or config.allow:
        from recollect.redaction.user_patterns import redactor

        return redactor(config)
    from recollect.redaction.redact import redact

    return redact


def _captured(event: Event, place: ProjectPaths, rules: Sequence[Rule]) -> ToolCall:
    from recollect.working.capture import CaptureSettings, RawCall, capture

    is_failure = event.kind == "tool_failed"
    raw = RawCall(event.tool, event.tool_input, event.tool_output, is_failure)
    enabled = rules if place.config.working.extraction else ()
    roots = (place.shown, place.root, place.user_root)
    return capture(raw, CaptureSettings(enabled, place.folder, roots), gate(place))


def _record(event: Event, call: ToolCall, place: ProjectPaths, recorder: SessionRecorder) -> None:
    """Record a call; then look up runbooks for its error, and draft one for what it fixed."""
    session = event.session
    outcome = recorder.call(session, event.harness, call)
    fingerprint = call.item.fingerprint if call.item else ""
    if fingerprint and (runbooks := _runbooks(fingerprint, recorder, place)):
        recorder.show_next(session, runbooks)
    if outcome.fixed:
        from recollect.hook.drafting import draft_runbooks

        draft_runbooks(session, outcome.fixed, recorder, place)


def _runbooks(fingerprint: str, recorder: SessionRecorder, place: ProjectPaths) -> list[UnifiedId]:
    """The runbooks for an error: saved as its fix, or naming it."""
    from recollect.storage.sqlite.runbooks import SqliteRunbooks

    naming = SqliteRunbooks(place.index_file).naming(fingerprint, now())
    fixes = recorder.stores.history.fixes(fingerprint)
    return list(dict.fromkeys([*fixes, *naming]))[:_MOST_RUNBOOKS]
