"""`retire`, `restore`, `archive` and `gc`: take memories out of use and bring them back."""

from collections.abc import Iterable
from typing import Annotated

import typer

from recollect.cli import save_output
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.output import print_json, safe, say
from recollect.records.lifecycle import Expiry
from recollect.views.health import GcOutput, gc_output
from recollect.views.saves import SaveOutput

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The memory.")]
ReasonOption = Annotated[
    str, typer.Option("--reason", "-r", metavar="TEXT", help="The reason; it is stored in the memory.")
]

app = typer.Typer()


@command(
    app, "retire", "recollect retire jwt-over-cookies --reason 'We use sessions now'", output=SaveOutput
)
def retire(
    context: typer.Context,
    id: IdArgument,
    reason: ReasonOption,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Take a memory out of use. It can be restored until its grace period ends."""
    save_output.report(opened(context, user=user).home_of(id).retire(id, reason), as_json=as_json)


@command(app, "restore", "recollect restore jwt-over-cookies", output=SaveOutput)
def restore(
    context: typer.Context, id: IdArgument, user: UserFlag = False, as_json: JsonFlag = False
) -> None:
    """Bring a retired or archived memory back into use."""
    save_output.report(opened(context, user=user).home_of(id).restore(id), as_json=as_json)


@command(
    app,
    "archive",
    "recollect archive the-2019-migration --reason 'Done, kept for the record'",
    output=SaveOutput,
)
def archive(
    context: typer.Context,
    id: IdArgument,
    reason: ReasonOption,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Archive a memory for good.

    No agent gets it and `gc` never deletes it; `restore` brings it back.
    """
    save_output.report(opened(context, user=user).home_of(id).archive(id, reason), as_json=as_json)


@command(app, "gc", "recollect gc", "recollect gc --yes", "recollect gc --json", output=GcOutput)
def gc(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Retire and delete expired memories.

    Retires memories past their retention and deletes those retired longer ago than the grace period. Shows
    the plan and asks first; with --json it only shows the plan, unless --yes is given.
    """
    memories = opened(context, user=user).memories
    plan = memories.collect(apply=False)
    if as_json:
        if yes:
            plan = memories.collect(apply=True)
        print_json(gc_output(plan, applied=yes))
        return
    _show("retire", plan.retire)
    _show("delete", plan.delete)
    if not plan.retire and not plan.delete:
        say("[dim]No memory has expired.[/]")
    elif yes or typer.confirm("Go ahead?"):
        done = memories.collect(apply=True)
        say(f"[green]Done[/]: {len(done.retire)} retired, {len(done.delete)} deleted.")
    else:
        say("[dim]Nothing was changed.[/]")


def _show(verb: str, expiries: Iterable[Expiry]) -> None:
    for expiry in expiries:
        memory = expiry.memory
        say(f"  {verb} [bold]{memory.id}[/] {safe(memory.title)} [dim]({expiry.reason})[/]")
