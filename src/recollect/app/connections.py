"""The harnesses of a project: which are in use, which are connected, and the files that connect them."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from recollect import agents
from recollect.agents.harness import Harness
from recollect.agents.harnesses import NAMES, all_harnesses, get_harness
from recollect.agents.install import FileChange, plan, unplan
from recollect.agents.launch import SHARED, Launch, configured
from recollect.app.startability import failure, obstacle
from recollect.clock import Clock
from recollect.errors import OutsideRootError, StoreError
from recollect.installation import how_to_add
from recollect.interpreter import python
from recollect.paths import read_plain
from recollect.storage.files import atomic
from recollect.storage.private import FOLDER
from recollect.values import replaced

_MOST_BYTES = 64 * 1024 * 1024  # of a harness's own file; some keep their history in it
SERVE = python("-m", "recollect", "serve")


@dataclass(frozen=True, slots=True)
class Connections:
    """The files that connect a project to its harnesses. Each is backed up before it changes.

    `home` and `env` are the user's: they say where a harness keeps its user's settings. `machine` are the
    commands for files of one person; files of the project name programs on PATH.
    """

    folder: Path
    home: Path
    env: Mapping[str, str]
    backups: Path
    machine: Launch
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
        steps = (_package_step(), self._path_step(name), self._approval_step(name))
        return "; then ".join(step for step in steps if step)

    def _path_step(self, name: str) -> str:
        """What puts the programs that shared files name on PATH; '' if they are, or none is named."""
        if not (reason := self.obstacle(name)):
            return ""
        return f"{reason}: add the folder of `recollect` to PATH, or install it with pipx or `uv tool`"

    def obstacle(self, name: str) -> str:
        """Why what a connected harness is told to run cannot start here; '' if nothing speaks against it."""
        reasons = (obstacle(words, self.env) for words in self._commands(name))
        return next((reason for reason in reasons if reason), "")

    def failure(self, name: str) -> str:
        """As `obstacle`, after starting the hook and the server once with nothing to read."""
        reasons = (failure(words, self.env, self.folder) for words in self._commands(name))
        return next((reason for reason in reasons if reason), "")

    def _commands(self, name: str) -> list[list[str]]:
        harness = get_harness(name)
        pairs = [
            configured(files, {file: self._record(file) for file in files.paths})
            for files in (harness.files, harness.local_files)
            if files
        ]
        return [words for pair in pairs for words in pair if words]

    def _approval_step(self, name: str) -> str:
        harness = get_harness(name)
        if name not in self.connected():
            return harness.plugin.next_step if harness.plugin else ""
        if harness.local_server and not self._has_server(harness):
            return harness.local_server.format(shlex.join(self.machine.serve))
        approval = harness.approval
        if not (approval.files and approval.remaining):
            return approval.step
        files = approval.files(self._user_folders(harness)[0])
        return approval.remaining([self._record(file) for file in files], str(self.folder.resolve()))

    def _has_server(self, harness: Harness) -> bool:
        files = harness.files
        return bool(configured(files, {file: self._record(file) for file in files.paths})[1])

    def _record(self, name: str) -> str | None:
        """The text of a harness's own file, a relative one in the project; None if it cannot be read."""
        try:
            return read_plain(str(self.folder / name), _MOST_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def connecting(self, name: str, *, local: bool = False) -> list[FileChange]:
        """What connecting a harness would change: in the files of the project, or in a person's own.

        A person's own hooks are removed when the project's are written, because each would run twice. The
        server is left out while the package that it needs is missing. Where a person's own settings cannot
        connect a harness, there is advice instead of a change.
        """
        harness = get_harness(name)
        personal = _personal(harness)
        if local:
            return self._connecting_here(harness, personal)
        launch = SHARED if find_spec("mcp") else replace(SHARED, serve=[])
        changes = plan(harness, self._files(harness), launch, _templates(harness))
        return changes + (unplan(personal, self._files(personal)) if personal else [])

    def _connecting_here(self, harness: Harness, personal: Harness | None) -> list[FileChange]:
        shared = [change for change in unplan(harness, self._files(harness)) if not change.advice]
        if shared:
            return [
                _advice(shared[0].path, f"{shared[0].path} connects {harness.name} for the whole team")
            ]
        if personal is None:
            reason = (
                f"{harness.name} has no personal settings for a project; use --shared or its plugin"
            )
            return [_advice(harness.files.paths[0], reason)]
        return plan(personal, self._files(personal), self.machine)

    def disconnecting(self, name: str) -> list[FileChange]:
        """What disconnecting a harness would change."""
        harness = get_harness(name)
        connected = [harness, *filter(None, [_personal(harness)])]
        return [change for each in connected for change in unplan(each, self._files(each))]

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


def _advice(path: str, reason: str) -> FileChange:
    return FileChange(path, None, None, f"{path} was left alone: {reason}.")


def _personal(harness: Harness) -> Harness | None:
    """The harness with the files that it keeps for one person; None if it keeps none."""
    return replaced(harness, files=harness.local_files) if harness.local_files else None


def _package_step() -> str:
    if find_spec("mcp"):
        return ""
    return f"run `{how_to_add('mcp')}`, then `recollect init`: the MCP server cannot start without it"


def _templates(harness: Harness) -> dict[str, str]:
    """The texts of the packaged files that a harness's own files are made from."""
    folder = Path(agents.__file__).parent
    names = {own.template for own in harness.files.own_files if own.template}
    return {name: (folder / name).read_text("utf-8") for name in names}
