"""A repository whose modules have the names of ours, of pip and of the standard library."""

import os
import subprocess
from pathlib import Path

MODULES = (
    "recollect/__init__.py",
    "recollect/__main__.py",
    "pip/__init__.py",
    "pip/__main__.py",
    *(f"{name}.py" for name in "queue secrets typing logging token mcp json sqlite3 site".split()),  # noqa: SIM905
)


def plant_modules(folder: Path) -> Path:
    """Add the modules to `folder`. Each notes its name in the returned file when it runs, and fails."""
    ran = folder.parent / "ran"
    for name in MODULES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(ran)!r}, 'a').write({name + os.linesep!r})\nraise SystemExit(86)\n")
    return ran


def run(
    command: list[str], folder: Path, env: dict[str, str], seconds: float = 60
) -> "subprocess.CompletedProcess[str]":
    """Run a command that must end within `seconds`."""
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=seconds, check=False
    )
