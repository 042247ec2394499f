"""Sources: recognise one and read its files. No other module of an import reads the source."""

import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from recollect.errors import NotFoundError, RefusedError
from recollect.importing import adr, claude_memory, export, rules
from recollect.importing.incoming import Incoming, Skipped
from recollect.paths import CONFIG_NAME, read_inside, read_plain
from recollect.records.categories import FOLDERS
from recollect.records.json_format import MAX_BYTES

MAX_TEXT = 512 * 1024  # an ADR or a rules file beyond this is something else
_RULES_NAMES = frozenset(
    {
        "claude.md",
        "claude.local.md",
        "agents.md",
        "agent.md",
        "gemini.md",
        "copilot-instructions.md",
        "rules",
        "rules.md",
        ".rules",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
    }
)
_MARKDOWN = (".md", ".markdown")
_OTHER_TEXT = (".adoc", ".asciidoc", ".rst", ".txt", ".org")
_SKIPPED_FOLDERS = frozenset({"node_modules", "vendor", "venv", "__pycache__"})


class SourceKind(StrEnum):
    """The kind of a source."""

    CLAUDE_MEMORY = "claude-memory"
    ADR = "adr"
    RULES = "rules"
    EXPORT = "export"


SUPPORTED = (
    "a claude-memory folder (decisions/, constraints/, ... with .json files), a folder of ADRs or one "
    "ADR (.md), a rules file (CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules), a Recollect export "
    "(.json)"
)


def detect(path: Path) -> SourceKind:
    """The kind of source at `path`. Raises RefusedError, which lists the supported ones."""
    if not path.exists():
        raise NotFoundError(f"{str(path)!r} does not exist; check the path.")
    kind = _folder_kind(path) if path.is_dir() else _file_kind(path)
    if kind is None:
        raise RefusedError(f"{str(path)!r} cannot be imported. Supported: {SUPPORTED}.")
    return kind


def _folder_kind(path: Path) -> SourceKind | None:
    folders = [name for name in FOLDERS if any((path / name).glob("*.json"))]
    if folders or (path / CONFIG_NAME).is_file():
        return SourceKind.CLAUDE_MEMORY
    kinds = {_kind_by_name(file.name) for file in _walk(path)}
    return next((kind for kind in (SourceKind.ADR, SourceKind.RULES) if kind in kinds), None)


def _file_kind(path: Path) -> SourceKind | None:
    if path.suffix.lower() != ".json" or not path.is_file():
        return _kind_by_name(path.name)
    try:
        data = read_plain(str(path), export.MAX_BYTES)
        return SourceKind.EXPORT if export.FORMAT.encode() in data[:4096] else None
    except OSError as error:
        raise RefusedError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def _kind_by_name(name: str) -> SourceKind | None:
    name = name.lower()
    if name in _RULES_NAMES or name.endswith(".mdc"):
        return SourceKind.RULES
    return SourceKind.ADR if name.endswith(_MARKDOWN) else None


def read(
    path: Path, kind: SourceKind | None = None, *, base: Path | None = None
) -> Iterator[Incoming | Skipped]:
    """The parts of the source at `path`. Origins below `base` (the current folder) are relative to it."""
    if not path.exists():
        raise NotFoundError(f"{str(path)!r} does not exist; check the path.")
    base = Path.cwd() if base is None else base
    match kind or detect(path):
        case SourceKind.CLAUDE_MEMORY:
            return _read_memories(path, base)
        case SourceKind.EXPORT:
            return _read_export(path, base)
        case SourceKind.ADR:
            return _read_adrs(path, base)
        case SourceKind.RULES:
            return _read_rules(path, base)


def origin_of(path: Path, base: Path) -> str:
    """The name of a source: relative to `base` when below it, else the path as passed."""
    full, root = os.path.abspath(path), os.path.abspath(base)  # noqa: PTH100 - links stay as named
    if full.startswith(root + os.sep):
        return Path(full[len(root) + 1 :]).as_posix()
    return Path(os.path.normpath(path)).as_posix()


def _read_memories(path: Path, base: Path) -> Iterator[Incoming | Skipped]:
    for folder, category in FOLDERS.items():
        for file in sorted((path / folder).glob("*.json")):
            if file.name.startswith("."):
                continue
            origin = origin_of(file, base)
            data = _data(file, path, origin, MAX_BYTES)
            yield data if isinstance(data, Skipped) else claude_memory.read(data, origin, category)


def _read_export(path: Path, base: Path) -> Iterator[Incoming | Skipped]:
    origin = origin_of(path, base)
    data = _data(path, path.parent, origin, export.MAX_BYTES)
    if isinstance(data, Skipped):
        raise RefusedError(f"{origin!r} cannot be imported: {data.reason}.")
    yield from export.read(data, origin)


def _read_adrs(path: Path, base: Path) -> Iterator[Incoming | Skipped]:
    """In one batch, because ADRs refer to one another."""
    texts: list[tuple[str, str]] = []
    for file in [path] if path.is_file() else _walk(path):
        origin, name = origin_of(file, base), file.name.lower()
        if name.endswith(_OTHER_TEXT):
            yield Skipped(origin, "not Markdown; ADRs are read from .md files")
        elif path.is_dir() and _kind_by_name(file.name) is SourceKind.RULES:
            yield Skipped(origin, "a rules file; import it by its own path")
        elif name.endswith(_MARKDOWN) or path.is_file():
            text = _text(file, path, origin)
            if isinstance(text, Skipped):
                yield text
            else:
                texts.append((origin, text))
    yield from adr.read_all(texts)


def _read_rules(path: Path, base: Path) -> Iterator[Incoming | Skipped]:
    for file in [path] if path.is_file() else _walk(path):
        if path.is_file() or _kind_by_name(file.name) is SourceKind.RULES:
            origin = origin_of(file, base)
            text = _text(file, path, origin)
            if isinstance(text, Skipped):
                yield text
            else:
                yield from rules.read(text, origin)


def _walk(path: Path) -> Iterator[Path]:
    """The files below a folder, sorted, without hidden folders and folders of dependencies."""
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS
        )
        yield from (Path(folder) / name for name in sorted(names))


def _text(file: Path, source: Path, origin: str) -> str | Skipped:
    data = _data(file, source, origin, MAX_TEXT)
    if isinstance(data, Skipped):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Skipped(origin, f"line {line}: not UTF-8; save the file as UTF-8")


def _data(file: Path, source: Path, origin: str, most: int) -> bytes | Skipped:
    """The bytes of a plain file inside `source` that is not too large, else the reason."""
    try:
        if source.is_dir() and not file.resolve().is_relative_to(source.resolve()):
            return Skipped(origin, "a symlink that leaves the folder; not followed")
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return Skipped(origin, "not a plain file")
        if status.st_size > most:
            return Skipped(origin, f"{status.st_size:,} bytes; at most {most:,} are read")
        if source.is_dir():
            return read_inside(str(file), str(source.resolve()), most)
        return read_plain(str(file), most)
    except OSError as error:
        return Skipped(origin, f"cannot be read: {error.strerror or error}")
