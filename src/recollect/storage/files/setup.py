"""Create a memory root, and undo that. Memories are never changed."""

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.paths import CONFIG_NAME, open_folder, read_below
from recollect.records.categories import FOLDERS
from recollect.storage import git, git_driver
from recollect.storage.files import inventory
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore
from recollect.storage.project import IDENTITY_FILE, Project, pin_identity

ATTRIBUTES = """\
# Recollect: memories merge field by field, and the index is generated.
/*/*.json merge=recollect
/index.md merge=union
"""
_CONFIG = "{}\n"


@dataclass(frozen=True, slots=True)
class SetupChange:
    """One file or setting that was created, changed, kept or removed."""

    what: str
    action: Literal["created", "changed", "kept", "removed", "skipped"]
    why: str = ""


def install(project: Project, store: FileStore) -> list[SetupChange]:
    """Create the root and the files in it. Existing files are kept."""
    root = project.root
    steps = [_created(root.shown, root.path.is_dir())]
    _make_root(project)
    steps.append(_write_new(root, CONFIG_NAME, _CONFIG))
    steps.append(_write_new(root, ".gitattributes", ATTRIBUTES))
    fresh = not root.state.is_dir()
    index = root.path / "index.md"
    steps.append(_created(root.show(index), index.exists()))
    store.rebuild_inventory()
    steps.append(_created(root.show(root.state), not fresh))
    steps.append(_install_driver(project.folder))
    if git.top_level(project.folder) is None and not (root.path / IDENTITY_FILE).exists():
        pin_identity(project)
        steps.append(
            SetupChange(
                root.show(root.path / IDENTITY_FILE), "created", "names the project without git"
            )
        )
    return steps


def _make_root(project: Project) -> None:
    with project.root.opened(project.root.path, make=True):
        pass


def _created(what: str, existed: bool) -> SetupChange:
    return SetupChange(what, "kept" if existed else "created")


def _write_new(root: MemoryRoot, name: str, text: str) -> SetupChange:
    shown = root.show(root.path / name)
    if (root.path / name).exists():
        return SetupChange(shown, "kept")
    root.write(name, text)
    return SetupChange(shown, "created")


def _install_driver(folder: Path) -> SetupChange:
    what = "git merge driver"
    if git.top_level(folder) is None:
        return SetupChange(what, "skipped", "not a git checkout")
    if git_driver.is_installed(folder):
        return SetupChange(what, "kept")
    git_driver.install(folder)
    return SetupChange(what, "created")


def uninstall(project: Project) -> list[SetupChange]:
    """Remove what `install` created beside the memories: local state, attributes, merge driver."""
    root, steps = project.root, []
    attributes = root.path / ".gitattributes"
    if _remove_unchanged(root, attributes.name, ATTRIBUTES):
        steps.append(SetupChange(root.show(attributes), "removed"))
    elif attributes.exists():
        steps.append(SetupChange(root.show(attributes), "kept", "it was changed by hand"))
    if root.state.is_dir():
        steps.append(_remove_state(project))
    if git_driver.remove(project.folder):
        steps.append(SetupChange("git merge driver", "removed"))
    if any(root.files()):
        return [*steps, SetupChange(root.shown, "kept", "the memories are yours")]
    return [*steps, *_remove_empty_root(project)]


def _remove_empty_root(project: Project) -> list[SetupChange]:
    """Remove the unchanged files of `install` from a root without memories, and the root if empty."""
    root, steps = project.root, []
    generated = {CONFIG_NAME: _CONFIG, inventory.NAME: inventory.render(())}
    for name, text in generated.items():
        if _remove_unchanged(root, name, text):
            steps.append(SetupChange(root.show(root.path / name), "removed"))
    identity = root.path / IDENTITY_FILE
    if identity.is_file():
        with root.opened(root.path) as folder:
            os.unlink(IDENTITY_FILE, dir_fd=folder)
        steps.append(SetupChange(root.show(identity), "removed"))
    _remove_empty_folders(root)
    if root.path.exists():
        return [*steps, SetupChange(root.shown, "kept", "it is not empty")]
    return [*steps, SetupChange(root.shown, "removed")]


def _remove_unchanged(root: MemoryRoot, name: str, text: str) -> bool:
    """Remove a file directly in the root if this is its text; whether it was."""
    with root.opened(root.path) as folder:
        try:
            if read_below(folder, name, len(text.encode())) != text.encode():
                return False
        except OSError:
            return False
        os.unlink(name, dir_fd=folder)
    return True


def _remove_empty_folders(root: MemoryRoot) -> None:
    with root.opened(root.path) as folder:
        for name in FOLDERS:
            with suppress(OSError):  # it is not empty, not there, or a link
                os.rmdir(name, dir_fd=folder)
    handle = open_folder(str(root.path.parent))
    try:
        with suppress(OSError):
            os.rmdir(root.path.name, dir_fd=handle)
    finally:
        os.close(handle)


def _remove_state(project: Project) -> SetupChange:
    shown = project.root.show(project.root.state)
    rejected = project.root.state / "rejected"
    if rejected.is_dir() and any(rejected.iterdir()):
        return SetupChange(
            shown,
            "kept",
            "rejected/ has versions of memories that lost a write conflict; check them first",
        )
    with project.root.opened(project.root.path) as folder:
        shutil.rmtree(project.root.state.name, dir_fd=folder)
    return SetupChange(shown, "removed")
