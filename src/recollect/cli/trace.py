"""`trace`: how searches, prompts, tools and plans were scored, and how that turned out."""

from typing import Annotated, cast, get_args

import typer

from recollect.cli.bench_output import table
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import draw, print_json, safe, say
from recollect.errors import NotFoundError, RefusedError
from recollect.learning.replay import DECIDED
from recollect.learning.trace import Kind
from recollect.views.traces import (
    KindStatsRow,
    TraceListOutput,
    TraceShowOutput,
    TraceStatsOutput,
    show_output,
    stats_output,
    trace_row,
)

_ALL = 100_000

app = typer.Typer(
    name="trace", help="Show how things were scored, and whether that was right.", no_args_is_help=True
)
KindOption = Annotated[
    str | None, choice_option(get_args(Kind), "--kind", metavar="KIND", help="Only this kind.")
]


def kind_of(text: str | None) -> Kind | None:
    """The kind that an option names. Raises RefusedError."""
    if text is not None and text not in get_args(Kind):
        raise RefusedError(f"unknown kind {text!r}; choose one of {', '.join(get_args(Kind))}.")
    return cast("Kind | None", text)


@command(
    app,
    "list",
    "recollect trace list",
    "recollect trace list --kind gate --limit 50 --json",
    output=TraceListOutput,
)
def list_traces(
    context: typer.Context,
    kind: KindOption = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """List the latest scorings.

    Shows each candidate with its score, the decision and the outcome. A trace has a digest of the
    request, never its text. Traces are kept for 30 days, at most 100,000.
    """
    traces = opened(context).traces.latest(limit, kind_of(kind))
    if as_json:
        out: TraceListOutput = {"traces": [trace_row(trace) for trace in traces]}
        print_json(out)
        return
    if not traces:
        say("[dim]Nothing has been scored yet, or the setting learning.traces is off.[/]")
        return
    rows = table("traces", "scoring", "at", "kind", "candidate", "score", "decision", "outcome")
    for trace in traces:
        limit_text = "" if trace.threshold is None else f" of {trace.threshold:.2f}"
        rows.add_row(
            trace.scoring,
            trace.at.replace("T", " ")[:16],
            trace.kind,
            safe(trace.candidate),
            f"{trace.score:.3f}{limit_text if trace.kind in DECIDED else ''}",
            trace.decision,
            trace.outcome or "-",
        )
    draw(rows)


@command(
    app,
    "show",
    "recollect trace show 3f9c02a1b4d7",
    "recollect trace show 3f9c --json",
    output=TraceShowOutput,
)
def show_trace(
    context: typer.Context,
    scoring: Annotated[str, typer.Argument(help="The scoring's id, or the beginning of it.")],
    as_json: JsonFlag = False,
) -> None:
    """Show one scoring: its candidates, signals and parameters."""
    traces = opened(context).traces.of_scoring(scoring)
    if not traces:
        raise NotFoundError(
            f"no scoring, or more than one, has an id that begins with {scoring!r}; see `trace list`."
        )
    out = show_output(traces)
    if as_json:
        print_json(out)
        return
    first = out["candidates"][0]
    when = first["at"].replace("T", " ")[:19]
    say(f"[bold]{first['kind']}[/] {when}, {first['milliseconds']:.1f} ms")
    for row in out["candidates"]:
        say(
            f"{row['score']:.4f}  [bold]{safe(row['candidate'])}[/] {row['decision']}, {row['outcome']}"
        )
        signals = ((name, value) for name, value in row["signals"].items() if value is not None)
        say(f"[dim]        {', '.join(f'{safe(name)} {value:.3f}' for name, value in signals)}[/]")
    say(f"[dim]params  {', '.join(f'{name} {value:g}' for name, value in out['params'].items())}[/]")


@command(
    app,
    "stats",
    "recollect trace stats",
    "recollect trace stats --kind gate --json",
    output=TraceStatsOutput,
)
def stats(context: typer.Context, kind: KindOption = None, as_json: JsonFlag = False) -> None:
    """Show how often each kind of decision was right.

    And how well each signal separates right from wrong.

    AUC is the probability that a useful candidate has a higher signal than one that was not useful; 0.5
    means no information.
    """
    traces = opened(context).traces
    out = stats_output(traces.latest(_ALL, kind_of(kind)), *traces.predictor())
    if as_json:
        print_json(out)
        return
    if not out["kinds"]:
        say("[dim]Nothing has been scored yet, or the setting learning.traces is off.[/]")
    for row in out["kinds"]:
        _show_kind(row)
    predictor = out["predictor"]
    say(f"[bold]next tool[/] predicted by {predictor['used']}, {predictor['sequences']} sequences")
    for name, (first, third) in predictor["hits"].items():
        state = "used" if name == predictor["used"] else "off: another one predicts more held-out calls"
        say(f"  {name}: hit@1 {first:.3f}, hit@3 {third:.3f} [dim]{state}[/]")


def _show_kind(row: KindStatsRow) -> None:
    known = sum(row["outcomes"].values())
    useful = "" if row["useful"] is None else f", {row['useful']:.0%} useful"
    say(
        f"[bold]{row['kind']}[/] {row['scorings']:,} scorings, {row['traces']:,} candidates, "
        f"{known:,} with an outcome{useful}; p50 {row['p50_ms']:.1f} ms"
    )
    if not known:
        return
    rows = table(row["kind"], "signal", "mean if useful", "mean if not", "AUC")
    for signal in row["signals"]:
        values = (signal["useful_mean"], signal["other_mean"], signal["auc"])
        rows.add_row(signal["signal"], *("-" if value is None else f"{value:.3f}" for value in values))
    draw(rows)
    if not row["effects"]:
        return
    effects = table(f"{row['kind']}: what each parameter adds", "parameter", "value", "adds", "95%", "")
    for effect in row["effects"]:
        bounds = f"{effect['low']:+.4f} to {effect['high']:+.4f}"
        adds = f"{effect['difference']:+.4f}"
        effects.add_row(effect["param"], f"{effect['value']:g}", adds, bounds, effect["verdict"])
    draw(effects)
