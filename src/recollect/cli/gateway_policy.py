"""`gateway policy`: which tools may be called, and after asking whom."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.choices import choice_argument
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.gateway import app
from recollect.cli.output import print_json, safe, say
from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.policy import EFFECTS, PolicyRule
from recollect.views.gateway_policy import GatewayPolicyOutput, policy_row


@command(
    app,
    "policy",
    "recollect gateway policy",
    "recollect gateway policy deny 'files:write_*'",
    "recollect gateway policy ask 'git:*'",
    "recollect gateway policy --remove 'git:*'",
    output=GatewayPolicyOutput,
)
def policy(
    context: typer.Context,
    effect: Annotated[str, choice_argument(EFFECTS, metavar="EFFECT", help="What to do.")] = "",
    pattern: Annotated[
        str, typer.Argument(metavar="SERVER:TOOL", help="Which tools; * stands for anything.")
    ] = "",
    remove: Annotated[
        str | None, typer.Option(metavar="SERVER:TOOL", help="Remove your rule for this pattern.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the rules for tools of upstream servers, or add one.

    The strictest rule for a tool decides: deny, then ask, then allow. Rules for MCP tools in the
    settings of your harnesses apply too; they are read when a tool is called, and changed there.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.tool_policy import HarnessRules

    start: Start = context.obj
    gateway = open_gateway()
    if remove is not None and not gateway.policy.remove(remove):
        raise NotFoundError(f"there is no rule for {remove!r}; `recollect gateway policy` lists them.")
    if effect:
        chosen = next((known for known in EFFECTS if known == effect), None)
        if chosen is None or ":" not in pattern:
            raise RefusedError(
                "give allow, ask or deny and a pattern, such as `deny 'files:write_*'` or `ask 'git:*'`."
            )
        gateway.policy.put(chosen, pattern)
    rules = [*gateway.policy.rules(), *HarnessRules(Path(start.folder), gateway.env).of("")]
    if as_json:
        print_json(GatewayPolicyOutput(rules=[policy_row(rule) for rule in rules]))
    else:
        _show(rules)


def _show(rules: list[PolicyRule]) -> None:
    for rule in rules:
        say(safe(str(rule)))
    if not rules:
        say(
            "No rules: whether a person is asked before `call` depends on the settings of your harness."
        )
