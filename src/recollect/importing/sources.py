"""Sources: recognise one and read its files. No other module of an import reads the source.

Texts and the names of files pass the redaction gate here, before a parser cuts titles, ids and tags out of
them: the gate does not recognise half a secret.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from recollect.errors import NotFoundError, RefusedError
from recollect.importing import (
    adr,
    basic_memory,
    claude_memory,
    export,
    letta,
    mem0,
    memory_graph,
    rule_scope,
    rules,
)
from recollect.importing.incoming import Incoming, Skipped, digest
from recollect.paths import CONFIG_NAME, read_inside, read_plain
from recollect.records.categories import FOLDERS
from recollect.records.json_format import MAX_BYTES, Json
from recollect.records.redaction_port import RedactionGate, SecretFinding, secret_in_slug
from recollect.redaction.gate import gate as built_in_gate
from recollect.redaction.spans import REDACTED

MAX_DOCUMENT = 32 * 1024 * 1024  # an export of another tool
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
_DATA = (".json", ".jsonl", ".af")
_RULES_FOLDERS = (
    (".cursor", "rules"),
    (".windsurf", "rules"),
    (".github", "instructions"),
    (".clinerules",),
)
_LOOKED_AT = 50  # files of a folder that may be notes
_HEAD = 8192  # bytes of a file by which a tool is recognised
_SKIPPED_FOLDERS = frozenset({"node_modules", "vendor", "venv", "__pycache__"})


class SourceKind(StrEnum):
    """The kind of a source."""

    CLAUDE_MEMORY = "claude-memory"
    ADR = "adr"
    RULES = "rules"
    EXPORT = "export"
    BASIC_MEMORY = "basic-memory"
    CLAUDE_MEM = "claude-mem"  # a database, which `app.import_sources` reads
    LETTA = "letta"
    MEM0 = "mem0"
    MEMORY_GRAPH = "memory-graph"


SUPPORTED = (
    "a claude-memory folder (decisions/, constraints/, ... with .json files), a folder of ADRs or one "
    "ADR (.md), rules files (CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules, .cursor/rules, .windsurf/rules, "
    ".github/instructions), a Recollect export (.json), claude-mem's database (.db), notes of basic-memory "
    "(.md), exports of mem0 (.json), Letta agent files (.af), the file of the MCP memory server (.jsonl)"
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
    files = list(_walk(path))
    kinds = {_kind_by_path(file) for file in files}
    if SourceKind.ADR in kinds and any(map(_is_basic_memory, files[:_LOOKED_AT])):
        return SourceKind.BASIC_MEMORY
    return next((kind for kind in (SourceKind.ADR, SourceKind.RULES) if kind in kinds), None)


def _file_kind(path: Path) -> SourceKind | None:
    if path.suffix.lower() not in _DATA or not path.is_file():
        return SourceKind.BASIC_MEMORY if _is_basic_memory(path) else _kind_by_path(path)
    try:
        data = read_plain(str(path), export.MAX_BYTES)
    except OSError as error:
        raise RefusedError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    if export.FORMAT.encode() in data[:4096]:
        return SourceKind.EXPORT
    if memory_graph.is_graph(data[:_HEAD].decode("utf-8", "replace")):
        return SourceKind.MEMORY_GRAPH
    return _document_kind(data)


def _document_kind(data: bytes) -> SourceKind | None:
    """The tool that a JSON document is of."""
    try:
        document = json.loads(data) if len(data) <= MAX_DOCUMENT else None
    except (ValueError, RecursionError):
        return None
    if letta.is_agent_file(document):
        return SourceKind.LETTA
    return SourceKind.MEM0 if mem0.rows_of(document) is not None else None


def _is_basic_memory(path: Path) -> bool:
    """Whether a file is a note of basic-memory, by how it begins."""
    if not path.name.lower().endswith(_MARKDOWN) or not path.is_file() or path.is_symlink():
        return False
    try:
        with path.open("rb") as file:
            return basic_memory.is_note(file.read(_HEAD).decode("utf-8", "replace"))
    except OSError:
        return False


def _kind_by_path(path: Path) -> SourceKind | None:
    """The kind of a file by its name and the folders it is in."""
    name, folders = path.name.lower(), [part.lower() for part in path.absolute().parts[:-1]]
    is_rules = name in _RULES_NAMES or name.endswith((".mdc", ".instructions.md"))
    in_rules = name.endswith(_MARKDOWN) and any(_inside(folders, pair) for pair in _RULES_FOLDERS)
    if is_rules or in_rules:
        return SourceKind.RULES
    return SourceKind.ADR if name.endswith(_MARKDOWN) else None


def _inside(folders: list[str], names: tuple[str, ...]) -> bool:
    """Whether these folders, one in the other, are among the last ones."""
    tail = folders[-4:]
    return any(tail[at : at + len(names)] == list(names) for at in range(len(tail)))


def read(
    path: Path,
    kind: SourceKind | None = None,
    *,
    base: Path | None = None,
    gate: RedactionGate = built_in_gate,
) -> Iterator[Incoming | Skipped]:
    """The parts of the source at `path`. Origins below `base` (the current folder) are relative to it."""
    if not path.exists():
        raise NotFoundError(f"{str(path)!r} does not exist; check the path.")
    source = _Source(path, Path.cwd() if base is None else base, gate)
    match kind or detect(path):
        case SourceKind.CLAUDE_MEMORY:
            return _read_memories(source)
        case SourceKind.EXPORT:
            return _read_export(source)
        case SourceKind.ADR:
            return source.reported(_read_adrs(source))
        case SourceKind.RULES:
            return source.reported(_read_rules(source))
        case SourceKind.BASIC_MEMORY:
            return source.reported(_read_notes(source))
        case SourceKind.MEMORY_GRAPH:
            return source.reported(_read_graph(source))
        case SourceKind.MEM0 | SourceKind.LETTA as tool:
            return source.reported(_read_document(source, tool))
        case SourceKind.CLAUDE_MEM:
            raise RefusedError(f"{str(path)!r} is not a text file; it is read as a database.")


@dataclass(slots=True)
class _Source:
    """A source that is read, and the kinds of secrets that were removed from its texts, by their origins."""

    path: Path
    base: Path
    gate: RedactionGate
    removed: dict[str, str] = field(default_factory=dict)

    def origin(self, file: Path) -> str:
        """The name of a file as it may be stored. Two names with secrets stay two."""
        name = origin_of(file, self.base)
        clean = "/".join(self._clean_name(part) for part in name.split("/"))
        return name if clean == name else f"{clean}~{digest(name)[:8]}"

    def _clean_name(self, name: str) -> str:
        """A name without its secrets. The gate takes what has an ending for the name of a file."""
        stem, ending = os.path.splitext(name)  # noqa: PTH122 - a name is no path
        clean = self.gate(stem)[0]
        is_hidden = clean == stem and secret_in_slug(stem, self.gate)
        return f"{REDACTED if is_hidden else clean}{ending}"

    def text(self, file: Path, origin: str) -> str | Skipped:
        """The text of a file without its secrets."""
        data = _data(file, self.path, origin, MAX_TEXT)
        if isinstance(data, Skipped):
            return data
        try:
            clean, secrets = self.gate(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            return Skipped(origin, f"line {line}: not UTF-8; save the file as UTF-8")
        if secrets:
            self.removed[origin] = ", ".join(sorted({secret.kind for secret in secrets}))
        return str(clean)

    def reported(self, parts: Iterable[Incoming | Skipped]) -> Iterator[Incoming | Skipped]:
        """These parts, each with the fields from which something was removed."""
        for part in parts:
            kinds = next((self.removed[name] for name in self.removed if _is_part(part, name)), None)
            if kinds and isinstance(part, Incoming):
                fields = _redacted_fields(part.memory.document)
                yield replace(part, redacted=tuple(SecretFinding(kinds, name) for name in fields))
            else:
                yield part


def _is_part(part: Incoming | Skipped, file: str) -> bool:
    return part.origin == file or part.origin.startswith(f"{file}#")


def _redacted_fields(value: Json, name: str = "") -> Iterator[str]:
    """The names of the fields whose text has a secret removed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _redacted_fields(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _redacted_fields(inner, f"{name}[{number}]")
    elif isinstance(value, str) and REDACTED in value:
        yield name


def origin_of(path: Path, base: Path) -> str:
    """The name of a source: relative to `base` when below it, else the path as passed."""
    full, root = os.path.abspath(path), os.path.abspath(base)  # noqa: PTH100 - links stay as named
    if full.startswith(root + os.sep):
        return Path(full[len(root) + 1 :]).as_posix()
    return Path(os.path.normpath(path)).as_posix()


def _read_memories(source: _Source) -> Iterator[Incoming | Skipped]:
    for folder, category in FOLDERS.items():
        for file in sorted((source.path / folder).glob("*.json")):
            if file.name.startswith("."):
                continue
            origin = source.origin(file)
            data = _data(file, source.path, origin, MAX_BYTES)
            yield data if isinstance(data, Skipped) else claude_memory.read(data, origin, category)


def _read_export(source: _Source) -> Iterator[Incoming | Skipped]:
    origin = source.origin(source.path)
    data = _data(source.path, source.path.parent, origin, export.MAX_BYTES)
    if isinstance(data, Skipped):
        raise RefusedError(f"{origin!r} cannot be imported: {data.reason}.")
    yield from export.read(data, origin)


def _read_adrs(source: _Source) -> Iterator[Incoming | Skipped]:
    """In one batch, because ADRs refer to one another."""
    texts: list[tuple[str, str]] = []
    path = source.path
    for file in [path] if path.is_file() else _walk(path):
        origin, name = source.origin(file), file.name.lower()
        if name.endswith(_OTHER_TEXT):
            yield Skipped(origin, "not Markdown; ADRs are read from .md files")
        elif path.is_dir() and _kind_by_path(file) is SourceKind.RULES:
            yield Skipped(origin, "a rules file; import it by its own path")
        elif name.endswith(_MARKDOWN) or path.is_file():
            text = source.text(file, origin)
            if isinstance(text, Skipped):
                yield text
            else:
                texts.append((origin, text))
    yield from adr.read_all(texts)


def _read_rules(source: _Source) -> Iterator[Incoming | Skipped]:
    path = source.path
    for file in [path] if path.is_file() else _walk(path):
        if path.is_file() or _kind_by_path(file) is SourceKind.RULES:
            origin = source.origin(file)
            text = source.text(file, origin)
            if isinstance(text, Skipped):
                yield text
            else:
                yield from rule_scope.scoped(rules.read(text, origin), text)


def _read_notes(source: _Source) -> Iterator[Incoming | Skipped]:
    path = source.path
    for file in [path] if path.is_file() else _walk(path):
        origin = source.origin(file)
        if not file.name.lower().endswith(_MARKDOWN):
            yield Skipped(origin, "not Markdown; notes are read from .md files")
            continue
        text = source.text(file, origin)
        if isinstance(text, Skipped):
            yield text
        else:
            yield from basic_memory.read(text, origin)


def _read_graph(source: _Source) -> Iterator[Incoming | Skipped]:
    origin = source.origin(source.path)
    data = _data(source.path, source.path.parent, origin, MAX_DOCUMENT)
    if isinstance(data, Skipped):
        raise RefusedError(f"{origin!r} cannot be imported: {data.reason}.")

    def clean(row: Json) -> Json:
        value, secrets = source.gate(row)
        if secrets:
            source.removed[origin] = ", ".join(sorted({secret.kind for secret in secrets}))
        return value

    yield from memory_graph.read(data.decode("utf-8-sig", "replace"), origin, clean)


def _read_document(source: _Source, kind: SourceKind) -> Iterator[Incoming | Skipped]:
    """A JSON document of another tool. The whole of it passes the gate, value by value."""
    origin = source.origin(source.path)
    data = _data(source.path, source.path.parent, origin, MAX_DOCUMENT)
    if isinstance(data, Skipped):
        raise RefusedError(f"{origin!r} cannot be imported: {data.reason}.")
    try:
        document, secrets = source.gate(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{origin!r} is not valid JSON ({error}).") from None
    if secrets:
        source.removed[origin] = ", ".join(sorted({secret.kind for secret in secrets}))
    if kind is SourceKind.LETTA and isinstance(document, dict):
        yield from letta.read(document, origin)
    elif kind is SourceKind.MEM0 and mem0.rows_of(document) is not None:
        yield from mem0.read(document, origin)
    else:
        raise RefusedError(f"{origin!r} is not a document of {kind.value}.")


def _walk(path: Path) -> Iterator[Path]:
    """The files below a folder, sorted, without hidden folders and folders of dependencies."""
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS
        )
        yield from (Path(folder) / name for name in sorted(names))


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
