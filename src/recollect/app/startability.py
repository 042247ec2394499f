"""Can this machine start the commands that a harness is told to run?"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from recollect.agents.launch import program

_SECONDS = 30.0  # for a command to start and to end again
_MOST_SHOWN = 200  # characters of what a command said


def obstacle(words: list[str], env: Mapping[str, str]) -> str:
    """Why a command cannot be started, by looking at its files; '' if nothing speaks against it."""
    name = program(words)
    if shutil.which(name, path=env.get("PATH", "")) is None:
        return f"{name!r} does not exist" if os.sep in name else f"{name!r} is not on PATH"
    missing = [word for word in words if word.startswith(os.sep) and not Path(word).exists()]
    return f"{missing[0]!r} does not exist" if missing else ""


def failure(words: list[str], env: Mapping[str, str], folder: Path) -> str:
    """Why a command cannot be started, by starting it with nothing to read; '' if it started."""
    if reason := obstacle(words, env):
        return reason
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{program(words)!r} did not answer within {_SECONDS:.0f} s"
    except OSError as error:
        return f"{program(words)!r} cannot be started: {error.strerror}"
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [
        f"exit code {done.returncode}"
    ]
    return f"{program(words)!r} exits immediately: {lines[-1][:_MOST_SHOWN]}"
