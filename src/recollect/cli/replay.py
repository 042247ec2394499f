"""`replay`: score stored traces again with other parameters, and compare with how they turned out."""

from typing import Annotated, get_args

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import print_json, safe, say
from recollect.errors import RefusedError
from recollect.learning.trace import Kind
from recollect.views.replays import MeasuredRow, ReplayOutput, replay_output

_ALL = 100_000

app = typer.Typer()


@command(
    app,
    "replay",
    "recollect replay --kind gate --param threshold=0.5",
    "recollect replay --kind retrieval --param weight.lexical=0.8 --json",
    "recollect replay --kind gate --propose",
    output=ReplayOutput,
)
def replay(
    context: typer.Context,
    kind: Annotated[
        str, choice_option(get_args(Kind), "--kind", metavar="KIND", help="What was scored.")
    ] = "gate",
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A parameter to change; repeatable."),
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Search for weights that fit the outcomes better.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Score stored traces again with other parameters.

    Says whether that would have been better.

    Without --param it checks that the recorded parameters compute the recorded scores exactly. The
    difference has a 95% interval. Nothing is changed: `recollect trace show` lists the parameters of a
    scoring.
    """
    from recollect.cli.trace import kind_of
    from recollect.learning.proposing import propose as proposal_of
    from recollect.learning.replay import compare, parameter_change

    wanted = kind_of(kind) or "gate"
    changes = dict(parameter_change(text) for text in param or ())
    if propose and changes:
        raise RefusedError("--propose searches for parameters itself; leave out --param.")
    traces = opened(context).traces.latest(_ALL, wanted)
    proposal = proposal_of(wanted, traces) if propose else None
    comparison = proposal.checked if proposal else compare(wanted, traces, changes)
    out = replay_output(comparison, proposal)
    if as_json:
        print_json(out)
        return
    _show(out, searched=propose)


def _show(out: ReplayOutput, *, searched: bool) -> None:
    exact = "every recorded score is reproduced exactly"
    inexact = f"[yellow]{out['inexact']} recorded scores are not reproduced[/]"
    say(
        f"{out['scorings']:,} scorings of {out['kind']} with an outcome; "
        + (inexact if out["inexact"] else exact)
    )
    if searched and not out["proposed"]:
        say("[dim]No weights fit the outcomes better, or there are too few outcomes.[/]")
        return
    for change in out["proposed"]:
        values = f"{change['value']:g} -> {change['proposed']:g}"
        say(f"  {safe(change['name'])} {values}: {change['alone']:+.4f} alone")
    if out["changes"]:
        say(f"recorded  {_measures(out['before'])}")
        say(f"changed   {_measures(out['after'])}")
        bounds = f"95% from {out['low']:+.4f} to {out['high']:+.4f}"
        say(f"[bold]{out['verdict']}[/]: {out['difference']:+.4f}, {bounds}")


def _measures(row: MeasuredRow) -> str:
    text = f"quality {row['quality']:.4f}"
    if row["precision"] is not None and row["recall"] is not None:
        text += f", precision {row['precision']:.3f}, recall {row['recall']:.3f}"
    return text
