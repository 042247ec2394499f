"""`redact`: remove secrets from a text, or find them in existing memories."""

import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, TypeAlias

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.output import counted, print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.errors import NotFoundError, RefusedError
from recollect.views.secrets import RedactOutput, SecretRow, StoredSecretRow, stored_secret_rows

if TYPE_CHECKING:
    from recollect.redaction.redact import Span

    Redactor: TypeAlias = Callable[[str], tuple[str, list[Span]]]

_CHUNK = 1 << 18  # bytes that are read at a time

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
        Path, typer.Argument(metavar="FILE|-", help="The text to redact; `-` is standard input.")
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
    find = redactor(config_of_folder(start.folder).redaction)
    if as_json:
        _print_json(find, _read(file), digests=digests)
    else:
        _stream(find, file, digests=digests)


def _print_json(find: "Redactor", original: str, *, digests: bool) -> None:
    text, spans = find(original)
    out: RedactOutput = {
        "redacted": text.encode("utf-8", "replace").decode(),
        "applied": bool(spans),
        "findings": [_row(span, original, digests=digests) for span in spans],
    }
    print_json(out)


def _stream(find: "Redactor", file: Path, *, digests: bool) -> None:
    """Print a text of any length without its secrets, and name them on standard error."""
    from recollect.redaction.stream import redacted_pieces

    sys.stdout.flush()
    for piece in redacted_pieces(_chunks(file), lambda text: find(text)[1]):
        sys.stdout.buffer.write(piece.text.encode("utf-8", "surrogateescape"))
        for span in piece.spans:
            row = _row(span, piece.original, digests=digests)
            line = piece.line + piece.original.count("\n", 0, row["start"])
            digest = f"  [dim]{row['digest']}[/]" if digests else ""
            warn(f"[yellow]redacted[/]: line {line}: {safe(row['kind'])}{digest}")


def _chunks(file: Path) -> Iterator[str]:
    """A file or standard input, piece by piece."""
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    with _opened(file) as source:
        while data := source.read(_CHUNK):
            yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        source = file.open("rb")
        source.peek(1)
    except FileNotFoundError:
        raise NotFoundError(f"{str(file)!r} does not exist.") from None
    except OSError as error:
        raise RefusedError(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    with source:
        yield source


def _read(file: Path) -> str:
    return "".join(_chunks(file))


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
