"""`forget`: delete a memory at once and for good."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.exits import Exit
from recollect.cli.lifecycle import IdArgument
from recollect.cli.output import counted, label, print_json, safe, say
from recollect.errors import MemoryNotFoundError
from recollect.ids import memory_id
from recollect.views.forgetting import ForgetOutput, forget_output

if TYPE_CHECKING:
    from recollect.app.forgetting import ForgetPlan

app = typer.Typer()


@command(
    app,
    "forget",
    "recollect forget jwt-over-cookies",
    "recollect forget --user answer-in-german --yes",
    output=ForgetOutput,
)
def forget(
    context: typer.Context,
    id: IdArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Delete a memory at once and for good.

    Shows what links to it and asks first. The links of other memories to it are removed, and it
    disappears from the index, the vectors, the drafts and the records of its injections. git still has
    earlier versions of its file. `retire` takes a memory out of use without deleting it.
    """
    from recollect.app.forgetting import Forgetting
    from recollect.app.person import require_person

    recollect = opened(context, user=user)
    if user and not recollect.user_memories.has(id):
        raise MemoryNotFoundError(memory_id(id.removeprefix("mem:")), [])
    forgetting = Forgetting(recollect)
    plan = forgetting.plan(id)
    if not as_json:
        _show(plan)
    if not yes and (as_json or not sys.stdin.isatty()):
        if as_json:
            print_json(forget_output(plan))
        else:
            say("[yellow]Not deleted[/]: there is no terminal to ask. `--yes` deletes it.")
        raise typer.Exit(Exit.UNDECIDED)
    require_person("forgetting a memory")
    if not yes and not typer.confirm("Delete it for good?"):
        raise typer.Abort
    done = forgetting.forget(plan)
    if as_json:
        print_json(forget_output(plan, done))
        return
    say(f"[green]Forgot[/] [bold]{plan.stored.memory.id}[/].")
    for draft in done.drafts:
        say(f"  the draft [bold]{safe(draft)}[/] said the same and is gone too")
    for line in done.remains:
        say(f"  [yellow]still in[/] {safe(line)}")


def _show(plan: "ForgetPlan") -> None:
    memory = plan.stored.memory
    say(f"{label(memory.category.value)} {safe(memory.title)}")
    say(f"  {safe(plan.stored.path)}")
    for edge in plan.holders:
        holder = safe(edge.source.removeprefix("mem:"))
        say(f"  [bold]{holder}[/] {edge.type.replace('_', ' ')} it; that link is removed")
    for id in plan.ended:
        say(f"  [bold]{id}[/], which it replaced, stays out of force")
    for id in plan.revived:
        say(f"  [yellow]{id}[/], which it replaced, comes back into force")
    if plan.commits:
        commits = counted(plan.commits, "commit has", "commits have")
        say(f"  [dim]{commits} earlier versions of its file in git; they stay there[/]")
