"""Find the project of a folder, and name it so that a moved checkout keeps its identity."""

import hashlib
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from recollect.config import DEFAULT_ROOT
from recollect.errors import InvalidError, NoProjectError, OutsideRootError, StoreError
from recollect.paths import distrusted_root, read_plain
from recollect.storage import git
from recollect.storage.files.root import MemoryRoot

IDENTITY_FILE = "project-id"
_MOST_IDENTITY_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Identity:
    """The name of a project, the same in every worktree, clone and subfolder of it.

    `source` says what it comes from: `file`, `git`, or else `path`; `user` for the user's own memories.
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
        return Project(git.top_level(start) or start, MemoryRoot(Path(os.path.realpath(root)), root))
    nearest = MemoryRoot.above(start, root)
    if nearest is None:
        reason = distrusted_root(str(start), root)
        if "link" in reason:
            raise OutsideRootError(
                f"{reason}; replace it with a folder, or set RECOLLECT_ROOT to its absolute path."
            )
        raise NoProjectError(str(start), reason)
    return Project(*nearest)


def project_at(folder: Path, root: str = DEFAULT_ROOT) -> Project:
    """The project of that folder, whether its memory root exists yet or not."""
    return Project(folder, MemoryRoot(folder / root, Path(root).as_posix()))


def home_of(start: Path) -> Path:
    """Where a new project's memory belongs: the top of the checkout, or the folder itself."""
    real = Path(os.path.realpath(start))
    return git.top_level(real) or real


def user_root(data_folder: Path) -> MemoryRoot:
    """The root of the memories that belong to the user, not to a project."""
    path = data_folder / "memory"
    return MemoryRoot(Path(os.path.realpath(path)), str(path), private=True)


def identify(project: Project) -> Identity:
    """Name a project: by its identity file, else by git, else by its path."""
    if project.root.private:
        return Identity("user", "user")
    override = project.root.path / IDENTITY_FILE
    if override.is_file():
        return Identity(_read_identity(override), "file")
    roots = git.roots(project.folder)
    if roots.root_commit or roots.remote:
        # A shallow clone does not have the first commit, and is the same project as a full one.
        parts = f"\n{roots.remote}" if roots.remote else f"{roots.root_commit}\n"
        return Identity(hashlib.sha256(parts.encode()).hexdigest()[:32], "git")
    place = hashlib.sha256(os.fsencode(project.folder)).hexdigest()[:32]
    return Identity(place, "path", roots.shallow)


def _read_identity(path: Path) -> str:
    try:
        name = read_plain(str(path), _MOST_IDENTITY_BYTES).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {str(path)!r}: {error}.") from None
    if not name or len(name) > 200 or not name.isprintable():
        raise InvalidError(f"{str(path)!r} must have one line of at most 200 characters.")
    return name


def pin_identity(project: Project, name: str = "") -> None:
    """Write the name of a project into a file, so that it stays when the folder or the remote changes.

    Without a name it gets a random one.
    """
    project.root.write(IDENTITY_FILE, f"{name or uuid.uuid4().hex}\n")
