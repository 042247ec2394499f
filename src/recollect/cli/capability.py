"""`capability`: code that worked, kept for reuse."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, safe_piece, say
from recollect.cli.run import opened_runs
from recollect.cli.run_code import drive_code, variables_of
from recollect.views.capabilities import (
    CapabilitiesOutput,
    CapabilityForgotten,
    CapabilityOutput,
    capability_row,
)
from recollect.views.code import CodeOutput

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway
    from recollect.gateway.tool import UpstreamTool

app = typer.Typer(name="capability", help="Reuse code that worked.", no_args_is_help=True)


def known_tools(gateway: "Gateway") -> "dict[str, UpstreamTool]":
    """The tools of the servers that are switched on, as they were accepted."""
    return {screened.tool.id: screened.tool for screened in gateway.tools()}


Name = Annotated[str, typer.Argument(metavar="NAME", help="The capability's name.")]


@command(app, "list", "recollect capability list", output=CapabilitiesOutput)
def list_capabilities(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the capabilities of this project, the most reliable first.

    Code is kept when it succeeds for the first time and every tool that it called did.
    """
    from recollect.learning.capabilities import ranked

    gateway, store, _ = opened_runs(context)
    capabilities = ranked(store.capabilities.all())
    tools = known_tools(gateway)
    rows = [capability_row(each, tools) for each in capabilities]
    if as_json:
        print_json(CapabilitiesOutput(capabilities=rows))
        return
    for row in rows:
        stale = "  stale" if row["stale"] else ""
        say(f"{safe(row['name'])}  {row['successes']} of {row['runs']}{stale}  {safe(row['intent'])}")
    if not capabilities:
        say(
            "No capabilities yet; code that `recollect run code` or an agent runs successfully is kept."
        )


@command(app, "show", "recollect capability show report_open_issues", output=CapabilityOutput)
def show(context: typer.Context, name: Name, as_json: JsonFlag = False) -> None:
    """Show one capability: its parameters, tools and code."""
    from recollect.app.capabilities import known_capability

    gateway, store, _ = opened_runs(context)
    capability = known_capability(store.capabilities, name)
    row = capability_row(capability, known_tools(gateway))
    if as_json:
        print_json(CapabilityOutput(capability=row, code=capability.code))
        return
    say(f"{safe(capability.name)}: {capability.successes} of {capability.runs} runs succeeded")
    say(f"tools: {safe(', '.join(capability.tools))}")
    if row["stale"]:
        say(f"stale, because these tools changed or were removed: {safe(', '.join(row['stale']))}")
    for parameter, value in capability.parameters.items():
        say(f"parameter: {safe(parameter)} = {safe(repr(value))}")
    for line in capability.code.splitlines():
        say(f"  {safe_piece(line)}")


@command(
    app,
    "run",
    "recollect capability run report_open_issues",
    "recollect capability run report_open_issues --set 'state=\"closed\"' --json",
    output=CodeOutput,
)
def run(
    context: typer.Context,
    name: Name,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=JSON", help="Another value for a parameter; repeatable."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run a capability, under the same rules as any code.

    Its success or failure is counted.
    """
    from recollect.app.capabilities import known_capability
    from recollect.errors import RefusedError
    from recollect.views.code import code_workflow

    opened = opened_runs(context)
    capability = known_capability(opened[1].capabilities, name)
    changed = variables_of(values or [])
    if unknown := sorted(changed.keys() - capability.parameters.keys()):
        names = ", ".join(capability.parameters) or "none"
        raise RefusedError(f"{name} has no parameter {unknown[0]!r}; it has {names}.")
    variables = {**capability.parameters, **changed}
    drive_code(opened, code_workflow(capability.code, variables, capability.intent), as_json=as_json)


@command(app, "forget", "recollect capability forget report_open_issues", output=CapabilityForgotten)
def forget(context: typer.Context, name: Name, as_json: JsonFlag = False) -> None:
    """Forget a capability. Code that succeeds again is kept again."""
    from recollect.app.capabilities import known_capability

    _, store, _ = opened_runs(context)
    known_capability(store.capabilities, name)
    store.capabilities.remove(name)
    if as_json:
        print_json(CapabilityForgotten(forgotten=name))
    else:
        say(f"Forgot {safe(name)}.")
