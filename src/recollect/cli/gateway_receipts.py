"""`gateway receipts`: what tools cost, how well they work, and which servers to switch off."""

from datetime import timedelta
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import counted, draw, print_json, safe, say
from recollect.clock import from_text, utc_now
from recollect.errors import RefusedError
from recollect.views.receipts import ReceiptsOutput, ToolReceiptRow, receipts_output

app = typer.Typer()

_DAYS = 30
_BAR = 20  # characters of the longest bar


@command(
    app,
    "receipts",
    "recollect gateway receipts",
    "recollect gateway receipts --since 2026-01-31 --json",
    output=ReceiptsOutput,
)
def receipts(
    since: Annotated[
        str | None, typer.Option(help="The first day, such as 2026-01-31. [30 days ago]")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what each tool cost, and what to switch off.

    Also shows how often it failed and how long it took.
    """
    from recollect.app.gateway import open_gateway

    day = first_day(since)
    out = receipts_output(open_gateway().receipts(day), day)
    if as_json:
        print_json(out)
        return
    _show(out)


def first_day(text: str | None) -> str:
    """The day from which receipts are shown. Raises RefusedError for what is no date."""
    if text is None:
        return (utc_now() - timedelta(days=_DAYS)).date().isoformat()
    try:
        return from_text(text).date().isoformat()
    except ValueError:
        raise RefusedError(f"{text!r} is not a date; write it as 2026-01-31.") from None


def _show(out: ReceiptsOutput) -> None:
    if not out["servers"]:
        say("No servers yet. `recollect gateway add` adds one.")
        return
    names = ("tool", "calls", "failed", "p50 ms", "p95 ms", "tokens", "saved", "")
    rows = table(f"Since {out['since']}", *names)
    rows.columns[-1].justify = "left"
    largest = max(
        (row["used_tokens"] for server in out["servers"] for row in server["by_tool"]), default=0
    )
    for server in out["servers"]:
        listing = f"{counted(server['tools'], 'tool')}, {server['schema_tokens']:,} tokens to list"
        rows.add_row(f"[bold]{safe(server['server'])}[/] [dim]({listing})[/]")
        for row in sorted(server["by_tool"], key=lambda row: -row["used_tokens"]):
            rows.add_row(*_cells(row, largest))
    draw(rows)
    _advise(out)


def _cells(row: ToolReceiptRow, largest: int) -> tuple[str, ...]:
    failures = (
        ("by the tool", row["tool_errors"]),
        ("bad arguments", row["bad_arguments"]),
        ("no answer", row["server_failures"]),
    )
    failed = ", ".join(f"{count} {kind}" for kind, count in failures if count) or "-"
    bar = "█" * round(_BAR * row["used_tokens"] / largest) if largest else ""
    times = ("-" if time is None else f"{time:,.0f}" for time in (row["p50_ms"], row["p95_ms"]))
    projection = row["projection_saved_tokens"]
    saved = f"{row['saved_tokens']:,}" + (f" ({projection:,} with a projection)" if projection else "")
    tokens = f"{row['used_tokens']:,}", saved
    return f"  {safe(row['tool'])}", str(row["calls"]), failed, *times, *tokens, f"[cyan]{bar}[/]"


def _advise(out: ReceiptsOutput) -> None:
    unused = [row for row in out["switch_off"] if row["schema_tokens"]]
    if not unused:
        return
    names = ", ".join(f"{safe(row['server'])} ({row['schema_tokens']:,})" for row in unused)
    total = sum(row["schema_tokens"] for row in unused)
    say(
        f"\nNever called since then: {names}. Removing them saves about {total:,} tokens in every "
        "conversation of a harness that lists their tools."
    )
    say("[dim]`recollect gateway remove SERVER` removes one.[/]")
