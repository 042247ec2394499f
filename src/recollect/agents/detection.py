"""Which harnesses are there? A folder or a file of theirs, or their program on PATH."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.agents.user_folders import user_folders


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a harness leaves in a project, and on PATH."""

    project: tuple[str, ...]
    programs: tuple[str, ...]


# Not `.claude` alone: the memory root is in it by default.
_TRACES: dict[str, _Trace] = {
    "claude-code": _Trace(
        (".claude/settings.json", ".claude/settings.local.json", "CLAUDE.md"), ("claude",)
    ),
    "codex": _Trace((".codex",), ("codex",)),
    "cursor": _Trace((".cursor", ".cursorrules"), ("cursor", "cursor-agent")),
    "gemini": _Trace((".gemini", "GEMINI.md"), ("gemini",)),
    "opencode": _Trace((".opencode", "opencode.json", "opencode.jsonc"), ("opencode",)),
}


def detect(home: Path, project: Path, env: Mapping[str, str]) -> list[str]:
    """The harnesses in use here, in our order. `env` says where a user has moved things, and PATH."""
    return [
        harness
        for harness, trace in _TRACES.items()
        if any((project / name).exists() for name in trace.project)
        or any(_is_kept(project, own) for own in user_folders(harness, home, env))
        or any(shutil.which(program, path=env.get("PATH", "")) for program in trace.programs)
    ]


def _is_kept(project: Path, own: Path) -> bool:
    """Whether a user's folder is there. The project itself says nothing: it always is."""
    try:
        return own != Path() and (project / own).exists()
    except OSError:  # the name is too long, or somebody else's folder is in between
        return False
