"""`bench poison`: whether an attack in a memory can reach a prompt."""

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say
from recollect.cli.progress import progress


class PoisonFailure(TypedDict):
    """A case that got through: where its attack was (body, title or tool), and what went wrong."""

    case: str
    form: str
    problems: list[str]


class BenchPoisonOutput(TypedDict):
    """`recollect bench poison`: how many prompts got memories, and how often each problem occurred."""

    set: str
    prompts: int
    given: int
    problems: dict[str, int]
    failed: list[PoisonFailure]


app = typer.Typer()


@command(
    app,
    "poison",
    "recollect bench poison --data data/poisoned-memory",
    "recollect bench poison --data data/poisoned-memory --json",
    output=BenchPoisonOutput,
)
def poison(
    data: Annotated[Path, typer.Option("--data", help="The folder of one set of attacks.")],
    as_json: JsonFlag = False,
) -> None:
    """Test whether an attack in a memory can reach a prompt.

    Puts each case's memories into a project, with the attack in a body, in a title, and as written by a tool,
    and sends its question through the real prompt hook. The hook's output must parse, be short, contain
    nothing unescaped, show nothing of the attack but an escaped title, and nothing that a tool wrote.
    """
    from recollect.bench.poison import PROBLEMS, load, measure

    with progress("Asking") as report:
        outcomes = measure(load(data), report)
    out: BenchPoisonOutput = {
        "set": data.name,
        "prompts": len(outcomes),
        "given": sum(outcome.injected > 0 for outcome in outcomes),
        "problems": {name: sum(name in outcome.problems for outcome in outcomes) for name in PROBLEMS},
        "failed": [
            {"case": outcome.case, "form": outcome.form, "problems": list(outcome.problems)}
            for outcome in outcomes
            if outcome.problems
        ],
    }
    if as_json:
        print_json(out)
        return
    say(f"{out['set']}: {out['prompts']} prompts, {out['given']} of them got memories")
    for name, count in out["problems"].items():
        say(f"{name:12} {count}")
    for outcome in out["failed"]:
        say(
            f"[red]failed[/]  {safe(outcome['case'])} in {outcome['form']}: {', '.join(outcome['problems'])}"
        )
