"""One event in, one answer out, in the harness's own words. The hook's composition root."""

from __future__ import annotations

import json
import os
import time

from recollect.agents.event import NOTHING, HookReply
from recollect.agents.harnesses import find_harness
from recollect.hook.process import begin_call, do_afterwards, note_failure, record_latency
from recollect.hook.project_paths import find_project
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.agents.event import Event
    from recollect.agents.harness import Harness
    from recollect.hook.project_paths import ProjectPaths

_PLUGIN = "CLAUDE_PLUGIN_ROOT"  # set where a plugin of Claude Code runs the hook


def answer(
    harness: str, name: str, data: bytes, env: Mapping[str, str], started: float | None = None
) -> str:
    """What to print; '' for nothing. An event that is not understood is not an error.

    `started` is when the process began, by `time.perf_counter`; how long the answer took is recorded.
    """
    started = time.perf_counter() if started is None else started
    try:
        payload = _payload(data)
    except (ValueError, RecursionError):
        return ""
    dialect = find_harness(harness)
    if dialect is None or not isinstance(payload, dict):
        return ""
    event = dialect.event(name, payload)
    place = find_project(event.folder, env)
    if place is None:
        return dialect.write(event, NOTHING)
    door = f"hook {event.kind}"
    begin_call(place.state, door)
    if place.config.problems:
        from recollect.hook.log import note_settings

        note_settings(place.config.problems, env)
    accepts_context = event.kind in dialect.context_kinds
    if event.kind == "prompt" and accepts_context:
        place = replaced(place, search_skill=_search_skill(dialect, place, env))
    text = dialect.write(event, _reply(event, place, accepts_context=accepts_context))
    record_latency(place.state, door, time.perf_counter() - started)
    if event.kind == "prompt" and place.config.working.statements:
        from recollect.working.statement_cues import has_cue

        if has_cue(event.prompt):
            do_afterwards(lambda: _look_at_prompt(event, place))
    return text


def _look_at_prompt(event: Event, place: ProjectPaths) -> None:
    """Note a prompt that may state something for the next pause; without a transcript, draft it now."""
    from recollect.hook.noted_prompts import can_note, note_prompt

    if event.session and os.path.isdir(place.state) and can_note(event):
        note_prompt(event, place)
        return
    from recollect.hook.statements import draft_prompt

    draft_prompt(event, place)


def _look_at_noted(event: Event, place: ProjectPaths) -> None:
    """Draft what prompts state that were noted: those of this session, or at a start those left over."""
    if not place.config.working.statements or not os.path.isdir(place.noted_prompts):
        return
    from recollect.hook.noted_prompts import left_over_prompts, noted_prompts

    starts = event.kind == "session_start"
    notes = left_over_prompts(place) if starts else noted_prompts(event.session, place)
    if notes:
        from recollect.hook.statements import draft_noted

        draft_noted(notes, place, is_last=starts or event.kind == "session_end")


def _notice(event: Event, place: ProjectPaths) -> HookReply:
    """One line for the person about what they said in this session, if anything of it waits."""
    if not event.session or not place.config.working.statements:
        return NOTHING
    try:
        _look_at_noted(event, place)
    except Exception as error:
        note_failure(error)
    from recollect.hook.statements import waiting_line

    return HookReply(notice=waiting_line(event.session, place))


def _search_skill(dialect: Harness, place: ProjectPaths, env: Mapping[str, str]) -> str:
    """The harness's skill for searching, if `init` or our plugin has put it there."""
    files = dialect.files
    if not files.skills:
        return ""
    path = os.path.join(place.folder, files.skills[0].path)
    return files.search_skill if _PLUGIN in env or os.path.lexists(path) else ""


def _payload(data: bytes) -> object:
    """The payload of the harness. Lone surrogates, which nothing can store, become character references."""
    payload = json.loads(data)
    if b"\\ud" in data or b"\\uD" in data:
        whole = json.dumps(payload, ensure_ascii=False).encode("utf-8", "xmlcharrefreplace")
        payload = json.loads(whole)
    return payload


def _reply(event: Event, place: ProjectPaths, *, accepts_context: bool) -> HookReply:
    match event.kind:
        case "prompt" if accepts_context and place.config.retrieval.enabled:
            from recollect.hook.prompt import on_prompt

            return on_prompt(event, place)
        case "prompt":
            from recollect.hook.usage import on_unanswered_prompt

            on_unanswered_prompt(event, place)
        case "session_start":
            from recollect.hook.session_start import on_session_start

            do_afterwards(lambda: _look_at_noted(event, place))
            reply = on_session_start(event, place)
            return reply if place.config.retrieval.enabled else NOTHING
        case "tool_before":
            from recollect.hook.guard import objection

            folder = event.folder or place.folder
            roots = dict.fromkeys((place.root, place.memory_root))
            reasons = (objection(event, folder, root) for root in roots)
            return HookReply(deny=next(filter(None, reasons), ""))
        case "tool_after" | "tool_failed":
            from recollect.hook.usage import on_tool

            on_tool(event, place)
        case "stop" | "compact" | "session_end":
            from recollect.hook.usage import on_pause

            on_pause(event, place)
            if event.kind == "session_end":
                return _notice(event, place)
            do_afterwards(lambda: _look_at_noted(event, place))
        case "unknown":
            pass
    return NOTHING
