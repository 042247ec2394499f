"""`gateway trust` and `gateway speculation`: which calls may run ahead, and what that saved and wasted."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.gateway_receipts import first_day
from recollect.cli.output import draw, print_json, safe, say
from recollect.views.speculation import (
    GatewaySpeculationOutput,
    GatewayTrustOutput,
    SpeculationRow,
    speculation_output,
)

app = typer.Typer()


@command(
    app,
    "trust",
    "recollect gateway trust files",
    "recollect gateway trust search --cost 0.002",
    "recollect gateway trust files --no",
    output=GatewayTrustOutput,
)
def trust(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="The name of a server.")],
    cost: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="DOLLARS",
            help="What one call costs, if its tools reach beyond this machine.",
        ),
    ] = None,
    no: Annotated[bool, typer.Option("--no", help="Stop trusting it.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Let read-only calls of a server run ahead of the agent.

    You trust the server's statement that the tools it marks as read-only change nothing.
    """
    from recollect.app.gateway import open_gateway

    upstream = open_gateway().trust(server, trusted=not no, call_cost=cost)
    if as_json:
        out = GatewayTrustOutput(
            server=server, trusted=upstream.speculate, call_cost=upstream.call_cost
        )
        print_json(out)
    elif upstream.speculate:
        say(f"Read-only calls of {safe(server)} may run ahead.")
    else:
        say(f"No call of {safe(server)} runs ahead.")


@command(
    app,
    "speculation",
    "recollect gateway speculation",
    "recollect gateway speculation --since 2026-01-31 --json",
    output=GatewaySpeculationOutput,
)
def speculation(
    context: typer.Context,
    since: Annotated[
        str | None, typer.Option(help="The first day, such as 2026-01-31. [30 days ago]")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which calls ran ahead, and what that saved and wasted."""
    from recollect.app.gateway import open_gateway
    from recollect.app.settings import config_of_folder

    start: Start = context.obj
    gateway, day = open_gateway(), first_day(since)
    enabled = config_of_folder(Path(start.folder), env=gateway.env).gateway.speculation
    trusted = [name for name, upstream in gateway.upstreams().items() if upstream.speculate]
    uses = gateway.database.speculations.uses(day)
    out = speculation_output(uses, day, enabled=enabled, trusted=trusted)
    if as_json:
        print_json(out)
    else:
        _show(out)


def _show(out: GatewaySpeculationOutput) -> None:
    if not out["enabled"]:
        say("Speculation is off; the setting gateway.speculation turns it on.")
    elif not out["trusted"]:
        say("No server is trusted, so nothing runs ahead. `recollect gateway trust SERVER` trusts one.")
    if not out["tools"]:
        return
    names = ("tool", "predicted", "ahead", "succeeded", "used", "saved ms", "wasted ms", "dollars")
    rows = table(f"Calls that ran ahead since {out['since']}", *names)
    for row in out["tools"]:
        rows.add_row(*_cells(f"{row['server']}:{row['tool']}", row))
    rows.add_row(*_cells("all", out["total"]))
    draw(rows)


def _cells(name: str, row: SpeculationRow) -> tuple[str, ...]:
    return (
        safe(name),
        f"{row['predicted']:,}",
        f"{row['started']:,} ({row['acceptance']:.0%})",
        f"{row['succeeded']:,} ({row['success']:.0%})",
        f"{row['hits']:,} ({row['hit_rate']:.0%})",
        f"{row['saved_ms']:,.0f}",
        f"{row['wasted_ms']:,.0f}",
        f"{row['dollars']:.4f} ({row['wasted_dollars']:.4f} wasted)",
    )
