"""Which harnesses are there? A folder or a file of theirs, or their program on PATH."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a harness leaves in a project, in a home folder, and on PATH."""

    project: tuple[str, ...]
    home: tuple[str, ...]
    programs: tuple[str, ...]


# Not `.claude` alone: the memory root is in it by default.
_TRACES: dict[str, _Trace] = {
    "claude-code": _Trace(
        (".claude/settings.json", ".claude/settings.local.json", "CLAUDE.md"), (".claude",), ("claude",)
    ),
    "codex": _Trace((".codex",), (".codex",), ("codex",)),
    "cursor": _Trace((".cursor", ".cursorrules"), (".cursor",), ("cursor", "cursor-agent")),
    "gemini": _Trace((".gemini", "GEMINI.md"), (".gemini",), ("gemini",)),
    "opencode": _Trace(
        (".opencode", "opencode.json", "opencode.jsonc"), (".config/opencode",), ("opencode",)
    ),
}


def detect(home: Path, project: Path, path: str | None = None) -> list[str]:
    """The harnesses in use here, in our order. `path` is looked up instead of PATH if given."""
    return [harness for harness, trace in _TRACES.items() if _seen(trace, home, project, path)]


def _seen(trace: _Trace, home: Path, project: Path, path: str | None) -> bool:
    return (
        any((project / name).exists() for name in trace.project)
        or any((home / name).exists() for name in trace.home)
        or any(shutil.which(program, path=path) for program in trace.programs)
    )
