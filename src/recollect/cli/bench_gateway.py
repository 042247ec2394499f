"""`bench gateway`: what the tools of the configured servers cost a conversation before it begins."""

from typing import TypedDict

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, say
from recollect.errors import RefusedError

BUDGET = 2_000  # tokens: what the meta-tools may cost


class BenchGatewayOutput(TypedDict):
    """`recollect bench gateway`: tokens that a client pays for listed tools, by how they are listed."""

    servers: int
    tools: int
    meta_tools: int
    every_tool: int
    names_only: int
    budget: int


app = typer.Typer()


@command(app, "gateway", "recollect bench gateway", output=BenchGatewayOutput)
def gateway(as_json: JsonFlag = False) -> None:
    """Count the tokens of the meta-tools.

    Compared with every tool of your servers, and with their names only.

    A harness that hides tools behind its own search pays for the names alone. `gateway test` lists the
    tools first.
    """
    from recollect.app.gateway import open_gateway
    from recollect.gateway.receipts import schema_tokens
    from recollect.server.gateway_tools import META_TOOLS
    from recollect.server.proxied_tools import cost
    from recollect.text.token_estimate import tokens_of

    tools = [screened.tool for screened in open_gateway().tools()]
    if not tools:
        raise RefusedError("no server has listed its tools yet; `recollect gateway test` lists them.")
    out: BenchGatewayOutput = {
        "servers": len({tool.server for tool in tools}),
        "tools": len(tools),
        "meta_tools": sum(cost(tool.described()) for tool in META_TOOLS),
        "every_tool": sum(schema_tokens(tool) for tool in tools),
        "names_only": tokens_of([tool.name for tool in tools]),
        "budget": BUDGET,
    }
    if as_json:
        print_json(out)
        return
    rows = table(f"{out['servers']} servers, {out['tools']} tools", "listed", "tokens")
    rows.add_row("the meta-tools", f"{out['meta_tools']:,}")
    rows.add_row("every tool", f"{out['every_tool']:,}")
    rows.add_row("names only", f"{out['names_only']:,}")
    draw(rows)
    say(f"The meta-tools may cost {BUDGET:,} tokens.")
