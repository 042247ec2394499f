"""Which project is this? Found from a folder, named so that a moved checkout keeps its memory."""

import hashlib
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from recollect.config import DEFAULT_ROOT
from recollect.errors import InvalidError, NoProjectError, StoreError
from recollect.storage import git
from recollect.storage.files import atomic
from recollect.storage.files.root import MemoryRoot

IDENTITY_FILE = "project-id"


@dataclass(frozen=True, slots=True)
class Identity:
    """The name of a project, the same in every worktree, clone and subfolder of it.

    `source` tells what it was made of: `file`, `git`, or `path` when there is nothing better.
    """

    name: str
    source: str
    shallow: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """A project: the folder its paths are relative to, and its memory root."""

    folder: Path
    root: MemoryRoot


def locate(start: Path, root: str = DEFAULT_ROOT) -> Project:
    """The project that `start` is in: the nearest folder upwards with a memory root.

    The search ends at the top of the checkout. Raises NoProjectError when there is none.
    """
    start = Path(os.path.realpath(start))
    if Path(root).is_absolute():
        return Project(git.top_level(start) or start, MemoryRoot(Path(root), root))
    found = MemoryRoot.above(start, root)
    if found is None:
        raise NoProjectError(str(start))
    return Project(*found)


def project_at(folder: Path, root: str = DEFAULT_ROOT) -> Project:
    """The project of that folder, whether its memory root exists yet or not."""
    return Project(folder, MemoryRoot(folder / root, Path(root).as_posix()))


def home_of(start: Path) -> Path:
    """Where a new project's memory belongs: the top of the checkout, or the folder itself."""
    real = Path(os.path.realpath(start))
    return git.top_level(real) or real


def user_root(data_folder: Path) -> MemoryRoot:
    """The root of the memories that belong to the user, not to a project."""
    return MemoryRoot(data_folder / "memory", str(data_folder / "memory"))


def identify(project: Project) -> Identity:
    """Name a project: by its identity file, else by git, else by its path."""
    override = project.root.path / IDENTITY_FILE
    if override.is_file():
        return Identity(_read_identity(override), "file")
    roots = git.roots(project.folder)
    if roots.root_commit or roots.remote:
        parts = f"{roots.root_commit or ''}\n{roots.remote or ''}"
        return Identity(hashlib.sha256(parts.encode()).hexdigest()[:32], "git", roots.shallow)
    place = hashlib.sha256(os.fsencode(project.folder)).hexdigest()[:32]
    return Identity(place, "path")


def _read_identity(path: Path) -> str:
    try:
        name = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {str(path)!r}: {error}.") from None
    if not name or len(name) > 200 or not name.isprintable():
        raise InvalidError(f"{str(path)!r} must hold one line of at most 200 characters.")
    return name


def pin_identity(project: Project) -> None:
    """Give a project without git a name of its own, so that moving its folder loses nothing."""
    path = project.root.path / IDENTITY_FILE
    atomic.write(path, f"{uuid.uuid4().hex}\n".encode(), project.root.show(path))
