"""`pin` and `unpin`: memories that every session gets at its start."""

import typer

from recollect.cli import save_output
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.lifecycle import IdArgument
from recollect.views.saves import SaveOutput

app = typer.Typer()


@command(app, "pin", "recollect pin never-commit-to-main", output=SaveOutput)
def pin(
    context: typer.Context, id: IdArgument, user: UserFlag = False, as_json: JsonFlag = False
) -> None:
    """Pin a memory: every session begins with it while it is in force.

    Pinned memories share a budget (`retrieval.pinned_characters`); those confirmed last come first.
    Pinning a memory again confirms it; after `retrieval.pinned_days` without a confirmation, `review`
    asks whether it is still true.
    """
    pinned = opened(context, user=user).home_of(id).pin(id)
    save_output.report(pinned, as_json=as_json, verb="Pinned")


@command(app, "unpin", "recollect unpin never-commit-to-main", output=SaveOutput)
def unpin(
    context: typer.Context, id: IdArgument, user: UserFlag = False, as_json: JsonFlag = False
) -> None:
    """Unpin a memory: prompts still get it when it is relevant."""
    unpinned = opened(context, user=user).home_of(id).unpin(id)
    save_output.report(unpinned, as_json=as_json, verb="Unpinned")
