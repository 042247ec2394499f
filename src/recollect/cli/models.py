"""`model`: the embedding models for search by meaning, and rerankers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.views.settings import ModelOutput, ModelRow

if TYPE_CHECKING:
    from recollect.app.models import UserModels

_ROLES = ("embedder", "reranker")
_POOLINGS = ("cls", "mean")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The model.")]

app = typer.Typer(
    name="model",
    cls=CommandGroup,
    help="Models: embedders for search by meaning, and rerankers.",
    no_args_is_help=True,
)


def _models() -> "UserModels":
    from recollect.app.models import open_models

    return open_models()


@command(app, "list", "recollect model list", output=ModelOutput)
def list_(as_json: JsonFlag = False) -> None:
    """List the known models: which are installed, and which one is in use."""
    _report(as_json=as_json)


@command(
    app,
    "install",
    "recollect model install",
    "recollect model install bge-m3 --from ~/models/bge-m3",
    "recollect model install my-model --from ./onnx --pooling mean",
    "recollect model install --role reranker --from ~/models/my-reranker",
    output=ModelOutput,
)
def install(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The model. [the default]")] = None,
    role: Annotated[
        str | None,
        choice_option(
            _ROLES,
            "--role",
            metavar="ROLE",
            help="What the model is for; a reranker corrects the order of the best hits. [embedder]",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="Install from a folder with model.onnx and tokenizer.json."),
    ] = None,
    pooling: Annotated[
        str | None,
        choice_option(_POOLINGS, "--pooling", metavar="NAME", help="For a model of your own."),
    ] = None,
    query_prefix: Annotated[
        str | None, typer.Option(help="The text that the model expects before a query.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Download a model, verify it, and store it in the user's cache.

    After that no network is needed. --from installs any other model from a folder. Servers that start
    later use a reranker once one is installed.
    """
    from recollect.app.models import DownloadListener

    say_progress = (lambda _: None) if as_json else (lambda text: warn(f"[dim]{safe(text)}[/]"))
    with progress("Installing the model", unit="bytes") as report:
        _models().install(
            name,
            role=role,
            folder=folder,
            pooling=pooling,
            query_prefix=query_prefix,
            listener=DownloadListener(say_progress, report),
        )
    _report(as_json=as_json)


@command(app, "use", "recollect model use bge-m3", output=ModelOutput)
def use(name: NameArgument, as_json: JsonFlag = False) -> None:
    """Use this model in its role from now on, in all your projects."""
    _models().use(name)
    _report(as_json=as_json)


@command(app, "remove", "recollect model remove bge-m3", output=ModelOutput)
def remove(name: NameArgument, as_json: JsonFlag = False) -> None:
    """Delete an installed model from the user's cache."""
    _models().remove(name)
    _report(as_json=as_json)


def _report(*, as_json: bool) -> None:
    models = _models()
    known = models.folder.known()
    rows: list[ModelRow] = [
        {
            "name": name,
            "role": (model.role if model else models.folder.role(name)) or "embedder",
            "installed": state == "installed",
            "damaged": state == "damaged",
            "in_use": state == "installed" and models.is_used(name),
            "from_folder": not (model and model.sources),
            "dimensions": model.dimensions if model else None,
            "megabytes": model.megabytes if model else None,
            "licence": model.licence if model else None,
            "about": model.about if model else "a model of your own",
        }
        for name, model, state in known
    ]
    notes = models.notes(known)
    if as_json:
        out: ModelOutput = {"models": rows, "notes": notes}
        print_json(out)
        return
    _show(rows)
    for note in notes:
        say(f"[yellow]{safe(note)}.[/]")
    if not notes and not any(row["installed"] for row in rows if row["role"] == "embedder"):
        say(
            "[dim]`recollect model install` downloads the default; until then search uses words only.[/]"
        )


def _show(rows: list[ModelRow]) -> None:
    """Two lines each, so that no name is cut off on a narrow terminal."""
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        size = f", {row['megabytes']} MB" if row["megabytes"] else ""
        needs = ", needs --from FOLDER" if row["from_folder"] and not row["installed"] else ""
        role = ", reranker" if row["role"] == "reranker" else ""
        say(f"[bold]{safe(row['name']):<{width}}[/]  {_state(row)}[dim]{role}{size}{needs}[/]")
        say(f"    [dim]{safe(row['about'])}[/]")


def _state(row: ModelRow) -> str:
    if row["in_use"]:
        return "[green]in use[/]"
    if row["damaged"]:
        return "[red]damaged[/]"
    return "installed" if row["installed"] else "[dim]not installed[/]"
