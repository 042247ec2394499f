"""The harnesses of a project: which are in use, which are connected, and the files that connect them."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from recollect import agents
from recollect.agents.harness import Harness
from recollect.agents.harnesses import NAMES, all_harnesses, get_harness
from recollect.agents.install import FileChange, plan, unplan
from recollect.clock import Clock
from recollect.errors import OutsideRootError, StoreError
from recollect.interpreter import python
from recollect.paths import read_plain
from recollect.storage.files import atomic
from recollect.storage.private import FOLDER

_NEEDS_MCP = "run `pip install 'recollect[mcp]'`: without it the MCP server cannot start"
_MOST_BYTES = 64 * 1024 * 1024  # of a harness's own file; some keep their history in it
SERVE = python("-m", "recollect", "serve")


@dataclass(frozen=True, slots=True)
class Connections:
    """The files that connect a project to its harnesses. Each is backed up before it changes.

    `home` and `env` are the user's: they say where a harness keeps its user's settings.
    """

    folder: Path
    home: Path
    env: Mapping[str, str]
    backups: Path
    hook_command: Callable[[str, str], list[str]]
    clock: Clock

    def present(self) -> list[str]:
        """The harnesses in use here: by their files, their users' folders, or their programs on PATH."""
        return [harness.name for harness in all_harnesses() if self._is_present(harness)]

    def _is_present(self, harness: Harness) -> bool:
        signs, path = harness.presence, self.env.get("PATH", "")
        return (
            any((self.folder / name).exists() for name in signs.project)
            or any(self._has_user_folder(name) for name in self._user_folders(harness))
            or any(shutil.which(program, path=path) for program in signs.programs)
        )

    def _user_folders(self, harness: Harness) -> tuple[str, ...]:
        return harness.presence.user_folders(str(self.home), self.env)

    def _has_user_folder(self, name: str) -> bool:
        """Whether a user's folder exists. The project folder itself is no sign: it always exists."""
        try:
            return Path(name) != Path() and (self.folder / name).exists()
        except OSError:  # the name is too long, or a folder on the way belongs to another user
            return False

    def connected(self) -> list[str]:
        """The harnesses whose files name us."""
        return [name for name in NAMES if any(not change.advice for change in self.disconnecting(name))]

    def plugged(self) -> list[str]:
        """The harnesses that our own plugin connects."""
        return [harness.name for harness in all_harnesses() if self._is_plugged(harness)]

    def _is_plugged(self, harness: Harness) -> bool:
        if not (plugin := harness.plugin):
            return False
        files = plugin.files(self._user_folders(harness)[0])
        return plugin.is_enabled([self._record(name) for name in files], str(self.folder))

    def next_step(self, name: str) -> str:
        """What a person still has to do for a connected harness; '' if nothing is left."""
        steps = ("" if find_spec("mcp") else _NEEDS_MCP, self._approval_step(name))
        return "; then ".join(step for step in steps if step)

    def _approval_step(self, name: str) -> str:
        harness = get_harness(name)
        if name not in self.connected():
            return harness.plugin.next_step if harness.plugin else ""
        approval = harness.approval
        if not (approval.files and approval.remaining):
            return approval.step
        files = approval.files(self._user_folders(harness)[0])
        return approval.remaining([self._record(file) for file in files], str(self.folder.resolve()))

    def _record(self, name: str) -> str | None:
        """The text of a harness's own file, a relative one in the project; None if it cannot be read."""
        try:
            return read_plain(str(self.folder / name), _MOST_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def connecting(self, name: str) -> list[FileChange]:
        """What connecting a harness would change."""
        harness = get_harness(name)
        return plan(
            harness,
            self._files(harness),
            lambda event: self.hook_command(name, event),
            SERVE,
            _templates(harness),
        )

    def disconnecting(self, name: str) -> list[FileChange]:
        """What disconnecting a harness would change."""
        harness = get_harness(name)
        return unplan(harness, self._files(harness))

    def _files(self, harness: Harness) -> Mapping[str, str | None]:
        return {name: self._text(name) for name in harness.files.paths}

    def _text(self, name: str) -> str | None:
        try:
            return read_plain(str(self.folder / name), _MOST_BYTES).decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(
                f"cannot read {name!r}: {error}; repair it, or leave this harness out."
            ) from None

    def apply(self, changes: Sequence[FileChange]) -> None:
        """Make these changes. Each file is backed up first and replaced atomically."""
        backups = self._new_backups()
        for change in changes:
            if change.advice:
                continue
            path = self.folder / change.path
            if change.before is not None:
                self._back_up(backups / change.path, change.before)
            if change.after is not None:
                self._write(path, change.after)
            else:
                self._remove(path)

    def _new_backups(self) -> Path:
        """A new folder for backups, so that no earlier one is overwritten."""
        stamp = self.clock().strftime("%Y%m%d-%H%M%S")
        folder, number = self.backups / stamp, 1
        while folder.exists():
            number += 1
            folder = self.backups / f"{stamp}-{number}"
        return folder

    def _back_up(self, path: Path, text: str) -> None:
        """Copy `text` to `path`, readable by its owner only, because a settings file may hold a token."""
        with atomic.opened(path.parent.resolve(), FOLDER) as folder:
            atomic.write_below(folder, path.name, text.encode(), str(path), private=True)

    def _write(self, path: Path, text: str) -> None:
        with atomic.opened(self._inside(path.parent), 0o777) as folder:
            atomic.write_below(folder, path.name, text.encode(), str(path))

    def _remove(self, path: Path) -> None:
        """Delete a file of ours, and its folders while they are empty: we may have created them."""
        folder = self._inside(path.parent)
        with atomic.opened(folder) as handle, suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=handle)
        with suppress(OSError):  # one is not empty
            while folder != self.folder:
                with atomic.opened(folder.parent) as handle:
                    os.rmdir(folder.name, dir_fd=handle)
                folder = folder.parent

    def _inside(self, folder: Path) -> Path:
        """The real path of a folder in the project. Raises OutsideRootError when a link leads out of it."""
        real = Path(os.path.realpath(folder))
        if not real.is_relative_to(os.path.realpath(self.folder)):
            raise OutsideRootError(
                f"{str(folder)!r} is a link that leaves the project; replace it with a folder."
            )
        return real


def _templates(harness: Harness) -> dict[str, str]:
    """The texts of the packaged files that a harness's own files are made from."""
    folder = Path(agents.__file__).parent
    names = {own.template for own in harness.files.own_files if own.template}
    return {name: (folder / name).read_text("utf-8") for name in names}
