"""One event in, one answer out, in the harness's own words. The hook's composition root."""

import json
from collections.abc import Mapping

from recollect.agents.dialects import DIALECTS
from recollect.agents.event import NOTHING, Event, Reply
from recollect.hook.place import Place, find_place


def answer(harness: str, name: str, given: bytes, env: Mapping[str, str]) -> str:
    """What to print; '' for nothing. An event that is not understood is not an error."""
    try:
        payload = json.loads(given)
    except (ValueError, RecursionError):
        return ""
    spoken = DIALECTS.get(harness)
    if spoken is None or not isinstance(payload, dict):
        return ""
    event = spoken.read(name, payload)
    if event.kind in ("prompt", "session_start") and not spoken.takes_context(event.kind):
        return spoken.write(event, NOTHING)
    place = find_place(event.folder, env)
    if place is None:
        return spoken.write(event, NOTHING)
    return spoken.write(event, _reply(event, place))


def _reply(event: Event, place: Place) -> Reply:
    match event.kind:
        case "prompt":
            from recollect.hook.prompt import on_prompt  # noqa: PLC0415 - each event loads its own

            return on_prompt(event, place)
        case "session_start":
            from recollect.hook.session_start import on_session_start  # noqa: PLC0415

            return on_session_start(event, place)
        case "tool_before":
            from recollect.hook.guard import objection  # noqa: PLC0415

            folder = event.folder or str(place.folder)
            return Reply(deny=objection(event.tool, event.tool_input, folder, place.root))
        case "tool_after" | "tool_failed":
            from recollect.hook.observe import on_tool  # noqa: PLC0415

            on_tool(event, place)
        case "stop":
            from recollect.hook.observe import on_stop  # noqa: PLC0415

            on_stop(event, place)
        case "compact" | "session_end" | "unknown":
            pass
    return NOTHING
