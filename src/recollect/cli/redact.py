"""`redact`: remove secrets from a text, or find them in existing memories."""

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

app = typer.Typer()


@command(
    app,
    "redact",
    "recollect redact build.log",
    "kubectl logs web | recollect redact -",
    "recollect redact build.log --json --digests",
    "recollect redact --scan .claude/memory",
    "recollect redact --scan .claude/memory --fix",
    output=RedactOutput,
)
def redact(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="[FILE|-]", help="The text to redact; `-` is standard input.")
    ] = Path("-"),
    scan: Annotated[
        Path | None,
        typer.Option("--scan", metavar="ROOT", help="Scan the memories in this memory root instead."),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="With --scan: remove the secrets found.")] = False,
    digests: Annotated[
        bool, typer.Option("--digests", help="Print the digest of each secret, for redaction.allow.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Print a text without its secrets, or scan memories for secrets.

    Findings go to standard error: the kind and the line, never the value. --scan reads memories that were
    written by hand or by another tool, and exits with code 8 if one contains a secret.
    """
    if scan is not None:
        _scan(scan, fix=fix, as_json=as_json)
        return
    if fix:
        raise RefusedError("--fix needs --scan ROOT: a text is printed, not changed in place.")
    from recollect.app.settings import config_of_folder
    from recollect.redaction.user_patterns import redactor

    start: Start = context.obj
    original = _read(file)
    text, spans = redactor(config_of_folder(start.folder).redaction)(original)
    findings = [_row(span, original, digests=digests) for span in spans]
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
    for row in findings:
        line = original.count("\n", 0, row["start"]) + 1
        digest = f"  [dim]{row['digest']}[/]" if digests else ""
        warn(f"[yellow]redacted[/]: line {line}: {safe(row['kind'])}{digest}")


def _read(file: Path) -> str:
    if str(file) == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        raise NotFoundError(f"{str(file)!r} does not exist.") from None
    except OSError as error:
        raise RefusedError(f"{str(file)!r} cannot be read: {error.strerror}.") from None


def _row(span: "Span", text: str, *, digests: bool) -> SecretRow:
    from recollect.redaction.redact import digest

    row: SecretRow = {"kind": span.kind, "start": span.start, "end": span.end}
    if digests:
        row["digest"] = digest(text[span.start : span.end])
    return row


def _scan(root: Path, *, fix: bool, as_json: bool) -> None:
    from recollect.app.secret_scan import scrub_root

    with progress("Scanning memories") as report:
        memories = scrub_root(root, fix=fix, progress=report)
    rows = [row for memory in memories for row in stored_secret_rows(memory)]
    if as_json:
        out: RedactOutput = {"applied": fix and bool(rows), "stored": rows}
        print_json(out)
    else:
        _show(rows, len(memories), fixed=fix)
    if rows and not fix:
        raise typer.Exit(Exit.UNHEALTHY)


def _show(rows: list[StoredSecretRow], memories: int, *, fixed: bool) -> None:
    mark = "[green]✓[/]" if fixed else "[red]✗[/]"
    for row in rows:
        say(f"{mark} [bold]{safe(row['path'])}[/] {safe(row['field'])}: {safe(row['kind'])}")
    if not rows:
        say("[green]No secrets found.[/]")
        return
    secrets = f"{counted(len(rows), 'secret')} in {counted(memories, 'memory', 'memories')}"
    if fixed:
        say(f"{secrets} removed. Revoke them where they are used: git still has the old files.")
    else:
        say(f"{secrets}. `--fix` removes them; revoke them where they are used.")
