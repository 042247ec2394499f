"""A file system of a few megabytes, to see what happens when it is full."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_BLOCK = bytes(64 * 1024)
_PAGE = bytes(4096)


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A mounted file system, and a file in it that takes what is left."""

    folder: Path

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"

    def fill(self) -> None:
        """Take all the space that is left."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while file.write(_BLOCK):
                pass
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while file.write(_PAGE):
                pass

    def free(self) -> None:
        """Give back what `fill` took."""
        self._ballast.unlink(missing_ok=True)

    def is_full(self) -> bool:
        return shutil.disk_usage(self.folder).free < len(_PAGE)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk]:
    """Mount one at `folder`; skips the test where this account may not mount."""
    if sys.platform != "linux":
        pytest.skip("a tmpfs is mounted, which only Linux has")
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, check=False, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("a small disk cannot be mounted: there is no program `mount`")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False, timeout=30)
