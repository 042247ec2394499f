"""`redact`: a text without its secrets, or the secrets in memories that exist already."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.output import counted, print_json, progress, safe, say, warn
from recollect.errors import NotFoundError, RefusedError
from recollect.views.secrets import RedactOutput, SecretRow, StoredSecretRow, stored_secret_rows

if TYPE_CHECKING:
    from recollect.redaction.redact import Span


def register(app: typer.Typer) -> None:
    command(
        app,
        "redact",
        "recollect redact build.log",
        "kubectl logs web | recollect redact -",
        "recollect redact build.log --json --digests",
        "recollect redact --scan .claude/memory",
        "recollect redact --scan .claude/memory --fix",
        output=RedactOutput,
    )(redact)


def redact(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="[FILE|-]", help="The text; `-` is standard input.")
    ] = Path("-"),
    scan: Annotated[
        Path | None,
        typer.Option("--scan", metavar="ROOT", help="Look at the memories of this root instead."),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="With --scan: take the secrets out.")] = False,
    digests: Annotated[
        bool, typer.Option("--digests", help="Tell the digest of each finding, to allow it by.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Print a text without its secrets, or look for secrets in memories.

    What is found goes to standard error: its kind and place, never the value. --scan looks at memories that
    were written by hand or by another tool; exit code 8 when a secret is left in one.
    """
    if scan is not None:
        _scan(scan, fix=fix, as_json=as_json)
        return
    if fix:
        raise RefusedError("--fix goes with --scan ROOT; a text is printed, never changed in place.")
    from recollect.app.settings import config_of_folder
    from recollect.redaction.user_patterns import redactor

    start: Start = context.obj
    given = _read(file)
    text, spans = redactor(config_of_folder(start.folder).redaction)(given)
    findings = [_found(span, given, digests=digests) for span in spans]
    if as_json:
        out: RedactOutput = {
            "redacted": text.encode("utf-8", "replace").decode(),
            "applied": bool(spans),
            "findings": findings,
        }
        print_json(out)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    for found in findings:
        line = given.count("\n", 0, found["start"]) + 1
        digest = f"  [dim]{found['digest']}[/]" if digests else ""
        warn(f"[yellow]taken out[/]: line {line}: {safe(found['kind'])}{digest}")


def _read(file: Path) -> str:
    if str(file) == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {str(file)!r} to read.") from None
    except OSError as error:
        raise RefusedError(f"{str(file)!r} cannot be read: {error.strerror}.") from None


def _found(span: "Span", given: str, *, digests: bool) -> SecretRow:
    from recollect.redaction.redact import digest

    found: SecretRow = {"kind": span.kind, "start": span.start, "end": span.end}
    if digests:
        found["digest"] = digest(given[span.start : span.end])
    return found


def _scan(root: Path, *, fix: bool, as_json: bool) -> None:
    from recollect.app.secret_scan import scrub_root

    with progress("Looking at memories") as report:
        found = scrub_root(root, fix=fix, progress=report)
    rows = [row for one in found for row in stored_secret_rows(one)]
    if as_json:
        out: RedactOutput = {"applied": fix and bool(rows), "stored": rows}
        print_json(out)
    else:
        _show(rows, len(found), fixed=fix)
    if rows and not fix:
        raise typer.Exit(Exit.UNHEALTHY)


def _show(rows: list[StoredSecretRow], memories: int, *, fixed: bool) -> None:
    mark = "[green]✓[/]" if fixed else "[red]✗[/]"
    for row in rows:
        say(f"{mark} [bold]{safe(row['path'])}[/] {safe(row['field'])}: {safe(row['kind'])}")
    if not rows:
        say("[green]No secrets found.[/]")
        return
    what = f"{counted(len(rows), 'secret')} in {counted(memories, 'memory', 'memories')}"
    if fixed:
        say(f"{what}, taken out. Change them where they are used: git still has the old files.")
    else:
        say(f"{what}. `--fix` takes them out; change them where they are used.")
