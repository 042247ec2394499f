"""Asking a person, through the client, whether a tool may be called."""

import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

from recollect.errors import NotPermittedError
from recollect.gateway.policy import PolicyDecision
from recollect.gateway.tool import UpstreamTool
from recollect.records.display import safe_text
from recollect.redaction.redact import redact
from recollect.tools.caller import Caller

_SHOWN = 2_000  # characters of the arguments: what a person sees fits a screen
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Call it", "default": False}},
    "required": ["approve"],
}


async def permit(
    tool: UpstreamTool,
    arguments: Mapping[str, Any],
    decision: PolicyDecision,
    caller: Caller,
    *,
    asks_person: bool,
) -> None:
    """Return if policy lets a call pass. Raises NotPermittedError that names the rule.

    `asks_person`: the user trusts the client to put a question to a person.
    """
    if decision.effect == "allow":
        return
    if decision.effect == "deny":
        raise NotPermittedError(f"{tool.id} may not be called; the rule: {decision.rule}.")
    if not asks_person:
        raise NotPermittedError(
            f"a person must be asked before {tool.id} is called; the rule: {decision.rule}. This "
            "client is not known to ask a person; if it does, set gateway.client_asks_person."
        )
    if not await asks_approval(tool, arguments, decision, caller):
        raise NotPermittedError(f"{tool.id} was not approved; nothing was called.")


async def asks_approval(
    tool: UpstreamTool, arguments: Mapping[str, Any], decision: PolicyDecision, caller: Caller
) -> bool:
    """Whether the person says yes. Raises NotPermittedError when the client cannot ask."""
    try:
        return await ask_person(question(tool, arguments, decision), caller)
    except NotPermittedError as error:
        raise NotPermittedError(
            f"a person must be asked before {tool.id} is called ({decision.rule}), and {error}"
        ) from None


async def ask_person(text: str, caller: Caller) -> bool:
    """Whether the person behind a client says yes. Raises NotPermittedError when the client cannot ask."""
    form = types.ElicitRequestFormParams(message=text, requested_schema=_FORM)
    try:
        answer = await caller.answer(types.ElicitRequest(params=form))
    except MCPError as error:
        raise NotPermittedError(f"the client cannot ask: {error.error.message}.") from None
    assert isinstance(answer, types.ElicitResult)
    return answer.action == "accept" and (answer.content or {}).get("approve") is True


def question(tool: UpstreamTool, arguments: Mapping[str, Any], decision: PolicyDecision) -> str:
    """What will be called, with which arguments, and why a person is asked. Made without a model."""
    shown = json.dumps(arguments, ensure_ascii=False, indent=2)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}\n... {len(shown) - _SHOWN:,} more characters"
    effect = "is declared read-only" if tool.hints.read_only else "may change things"
    summary = f"Call {tool.name} of the server {tool.server}? It {effect}."
    return safe_text(redact(f"{summary}\nArguments: {shown}\nRule: {decision.rule}")[0])
