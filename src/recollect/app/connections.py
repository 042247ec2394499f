"""The harnesses of a project: which are there, which are connected, and the files that say so."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.agents.approval import codex_step, next_step, plugin_step
from recollect.agents.install import FileChange, detect, files_of, plan, unplan
from recollect.agents.plugin_status import account_files, has_plugin
from recollect.agents.setups import SETUPS
from recollect.agents.user_folders import user_folders
from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.storage.files import atomic

SERVE = [sys.executable, "-m", "recollect", "serve"]


@dataclass(frozen=True, slots=True)
class Connections:
    """What connects a project to its harnesses. Every file is backed up before it is changed.

    `home` and `env` are the user's: they say where a harness keeps settings that are not the project's.
    """

    folder: Path
    home: Path
    env: Mapping[str, str]
    backups: Path
    hook_command: Callable[[str, str], list[str]]
    clock: Clock

    def present(self) -> list[str]:
        """The harnesses in use here."""
        return detect(self.home, self.folder, self.env)

    def connected(self) -> list[str]:
        """The harnesses whose files name us."""
        return [
            name for name in SETUPS if any(not change.advice for change in self.disconnecting(name))
        ]

    def plugged(self) -> list[str]:
        """The harnesses that our own plugin connects."""
        return [
            name
            for name in SETUPS
            if has_plugin(name, [self._seen(file) for file in self._accounts(name)], str(self.folder))
        ]

    def next_step(self, harness: str) -> str:
        """What a person still has to do for a connected harness; '' when that is known to be done."""
        if harness not in self.connected():
            return plugin_step(harness)
        if harness != "codex":
            return next_step(harness)
        folder, file = self.folder.resolve(), SETUPS[harness].hooks_file
        [config] = self._accounts(harness)
        return codex_step(self._seen(config), self._seen(file), str(folder / file), str(folder))

    def _accounts(self, harness: str) -> tuple[Path, ...]:
        own, *_ = user_folders(harness, self.home, self.env)
        return account_files(harness, own)

    def _seen(self, name: Path | str) -> str | None:
        """The text of a harness's own file, a relative one in the project; None when it cannot be read."""
        try:
            return (self.folder / name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def connecting(self, harness: str) -> list[FileChange]:
        """What connecting a harness would change."""
        return plan(
            harness, self._files(harness), lambda event: self.hook_command(harness, event), SERVE
        )

    def disconnecting(self, harness: str) -> list[FileChange]:
        """What disconnecting a harness would change."""
        return unplan(harness, self._files(harness))

    def _files(self, harness: str) -> Mapping[str, str | None]:
        return {name: self._text(name) for name in files_of(harness)}

    def _text(self, name: str) -> str | None:
        try:
            return (self.folder / name).read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(
                f"cannot read {name!r}: {error}; mend it, or leave this harness out."
            ) from None

    def make(self, changes: Sequence[FileChange]) -> None:
        """Make these changes, each file backed up first and written whole."""
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
                path.unlink(missing_ok=True)
                _remove_empty(path.parent, self.folder)

    def _new_backups(self) -> Path:
        """A folder for what is changed now: an earlier backup is never written over."""
        stamp = self.clock().strftime("%Y%m%d-%H%M%S")
        folder, number = self.backups / stamp, 1
        while folder.exists():
            number += 1
            folder = self.backups / f"{stamp}-{number}"
        return folder

    def _back_up(self, path: Path, text: str) -> None:
        """Keep a copy that only its owner can read: a settings file may hold a token."""
        self._write(path, "")
        path.chmod(0o600)
        self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make {str(path.parent)!r}: {atomic.advice(error)}") from error
        atomic.write(path, text.encode(), str(path))


def _remove_empty(folder: Path, top: Path) -> None:
    """Remove folders that we may have made, as long as nothing is in them."""
    while folder != top and folder.is_relative_to(top) and not os.listdir(folder):
        folder.rmdir()
        folder = folder.parent
