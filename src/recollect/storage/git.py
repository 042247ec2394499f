"""Queries to git about the project. Without git, the answer is None.

A repository that was unpacked instead of cloned brings its `.git/config`, which can name programs. No query
runs one: not to watch files, not as a hook, not to check a signature, and not to fetch what is missing.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 10
_RUN_NOTHING = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_FETCH_NOTHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


def ask(folder: Path, *arguments: str) -> str | None:
    """The output of a git command, or None when git is missing, fails or takes too long."""
    try:
        done = subprocess.run(
            ["git", *_RUN_NOTHING, "-C", str(folder), *arguments],
            env={**os.environ, **_FETCH_NOTHING},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def top_level(folder: Path) -> Path | None:
    """The checkout that `folder` is in."""
    path = ask(folder, "rev-parse", "--show-toplevel")
    return Path(path) if path else None


def head(folder: Path) -> str | None:
    """The commit that is checked out."""
    return ask(folder, "rev-parse", "--verify", "--quiet", "HEAD")


@dataclass(frozen=True, slots=True)
class Roots:
    """The properties of a repository that are the same in every checkout."""

    root_commit: str | None
    remote: str | None
    shallow: bool


def roots(folder: Path) -> Roots:
    """The first commit and the remote of the checkout that `folder` is in."""
    shallow = ask(folder, "rev-parse", "--is-shallow-repository") == "true"
    commits = ask(folder, "rev-list", "--max-parents=0", "HEAD")
    first = commits.split()[-1] if commits and not shallow else None
    names = (ask(folder, "remote") or "").split()
    name = "origin" if "origin" in names else min(names, default=None)
    url = ask(folder, "remote", "get-url", name) if name else None
    return Roots(first, normalised(url) if url else None, shallow)


def normalised(url: str) -> str:
    """The same text for all spellings of a remote: `git@host:team/app.git`, `https://host/team/app`."""
    text = url.strip().removesuffix("/").removesuffix(".git")
    if match := re.fullmatch(r"(?:[\w.+-]+@)?([\w.-]+):(?!//)(.+)", text):
        text = f"{match[1]}/{match[2].lstrip('/')}"
    else:
        text = re.sub(r"^[a-z][a-z+.-]*://(?:[^/@]*@)?", "", text, flags=re.IGNORECASE)
    host, slash, path = text.partition("/")
    return re.sub(r":\d+$", "", host.lower()) + slash + path
