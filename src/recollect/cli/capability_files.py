"""`capability rename`, `export` and `import`: capabilities as files that a team reviews."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.capability import Name, app
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, safe_piece, say
from recollect.cli.run import opened_runs
from recollect.cli.text_input import read_text
from recollect.errors import RefusedError
from recollect.views.capabilities import CapabilityExported, CapabilityImported, CapabilityRenamed


@command(
    app, "rename", "recollect capability rename fs_read_git_log changed_files", output=CapabilityRenamed
)
def rename(
    context: typer.Context,
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    as_json: JsonFlag = False,
) -> None:
    """Give a capability another name. Code that calls it by the old name must be changed."""
    from recollect.app.capabilities import rename_capability

    _, store, _ = opened_runs(context)
    rename_capability(store.capabilities, name, new)
    if as_json:
        print_json(CapabilityRenamed(renamed=name, name=new))
    else:
        say(f"Renamed {safe(name)} to {safe(new)}.")


@command(
    app,
    "export",
    "recollect capability export changed_files",
    "recollect capability export changed_files capabilities/changed_files.yaml",
    output=CapabilityExported,
)
def export(
    context: typer.Context,
    name: Name,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Without it, standard output.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a capability as a file that people can review. An existing file is not overwritten."""
    from recollect.app.capabilities import known_capability
    from recollect.app.capability_file import capability_text

    _, store, _ = opened_runs(context)
    text = capability_text(known_capability(store.capabilities, name))
    if file is not None:
        _write(file, text)
    if as_json:
        print_json(CapabilityExported(name=name, file=str(file) if file else None, text=text))
    elif file is not None:
        say(f"Wrote {safe(str(file))}.")
    else:
        for line in text.splitlines():
            say(safe_piece(line))


@command(
    app,
    "import",
    "recollect capability import capabilities/changed_files.yaml",
    "recollect capability import - < changed_files.yaml",
    output=CapabilityImported,
)
def import_(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    as_json: JsonFlag = False,
) -> None:
    """Add a capability from a file; nothing runs. Code that already exists stays as it is.

    A file is refused if it contains a secret, or if its name belongs to other code.
    """
    from recollect.app.capability_file import LONGEST_FILE

    _, store, _ = opened_runs(context)
    name, new = store.import_capability(read_text(file, LONGEST_FILE))
    if as_json:
        print_json(CapabilityImported(name=name, new=new))
    else:
        say(f"Imported {safe(name)}." if new else f"{safe(name)} already exists.")


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise RefusedError(f"{str(file)!r} already exists; choose another name.") from None
    except OSError as error:
        raise RefusedError(f"{str(file)!r} cannot be written: {error.strerror}.") from None
