"""Installed models: one folder each in the user's cache, verified at installation, used offline."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from recollect.errors import InvalidError, ModelError, NotFoundError, RefusedError, StoreError
from recollect.storage.models.download import SILENT, DownloadListener, digest, fetch, verify
from recollect.storage.models.manifest import (
    DEFAULT,
    DEFAULT_RERANKER,
    MODEL_FILE,
    MODELS,
    PAIR_TOKENS,
    TOKENIZER_FILE,
    Model,
    Reading,
    Role,
    role_named,
)

ModelState = Literal["installed", "damaged", "absent"]

_CARD = "recollect-model.json"
_PARTS = (MODEL_FILE, TOKENIZER_FILE)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_A: dict[Role, str] = {"embedder": "an embedding model", "reranker": "a reranker"}


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this machine. `version` changes with the files and settings, so that vectors never mix."""

    name: str
    folder: Path
    reading: Reading
    digests: dict[str, str]
    role: Role = "embedder"

    @property
    def version(self) -> str:
        identity = json.dumps([self.digests, asdict(self.reading)], sort_keys=True)
        return f"{self.name}@{hashlib.sha256(identity.encode()).hexdigest()[:12]}"

    @property
    def is_latin_only(self) -> bool:
        """Whether it is known to have learnt English only; a model of the user's own may know more."""
        known = MODELS.get(self.name)
        return known is not None and not known.multilingual

    def check_current(self) -> None:
        """Raises ModelError when its folder has another model by now, or none."""
        if _read_card(self.folder / _CARD) != self:
            reason, advice = (
                "it was replaced or removed in the meantime",
                "restart the process that uses it",
            )
            raise ModelError(self.name, reason, advice)


class ModelFolder:
    """The user's models, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def installed(self, role: Role = "embedder") -> list[InstalledModel]:
        """Every installed model of a role, by name; damaged ones are left out."""
        cards = sorted(self._folder.glob(f"*/{_CARD}"))
        return [model for card in cards if (model := _read_card(card)) and model.role == role]

    def get(self, name: str = DEFAULT, role: Role = "embedder") -> InstalledModel | None:
        """An installed model of a role, by name or by its folder; None if there is none."""
        model = _read_card(self._folder / name / _CARD)
        return model if model and model.role == role else None

    def role(self, name: str) -> Role | None:
        """The role of an installed model; None if there is none of that name, or it is damaged."""
        model = _read_card(self._folder / name / _CARD)
        return model.role if model else None

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
        model = _read_card(self._folder / name / _CARD)
        return "installed" if model and _is_intact(model) else "damaged"

    def install(
        self,
        name: str | None = None,
        *,
        role: Role | None = None,
        folder: Path | None = None,
        pooling: str | None = None,
        query_prefix: str | None = None,
        listener: DownloadListener = SILENT,
    ) -> InstalledModel:
        """Fetch a known model, or copy any ONNX model from `folder`. Only a verified model is stored.

        A model without pinned digests is run once, and `listener` hears the digests of what was downloaded.
        `pooling` and `query_prefix` say how to use a user's own embedder. A known name is reserved for the
        model of that name, and has its role; a reranker from a folder may be named after the folder.
        """
        name = _default_name(role, folder) if name is None else name
        if not is_model_name(name):
            raise RefusedError(f"{name!r} cannot name a model; use letters, digits, '.', '_' and '-'.")
        model = MODELS.get(name)
        role = self._checked_role(name, model, role)
        reading = _reading(model, role, pooling, query_prefix)
        with tempfile.TemporaryDirectory() as place:
            fetched = Path(place)
            if folder is not None:
                _copy(folder, fetched)
            else:
                fetch(_fetchable(name, model), fetched, listener)
            digests = {part: digest(fetched / part) for part in _PARTS}
            if folder is not None or not (model and model.digests):
                trial = InstalledModel(name, fetched, reading, digests, role)
                _check(trial, model, folder or Path(name))
            if folder is None and not (model and model.digests):
                shown = ", ".join(f"{part} {value}" for part, value in digests.items())
                listener.say(f"{name} has no pinned digests; the downloaded files have these: {shown}")
            stored = InstalledModel(name, self._folder / name, reading, digests, role)
            return self._store(stored, fetched)

    def _checked_role(self, name: str, known: Model | None, role: Role | None) -> Role:
        """The role to install a model in. A name has one role, which settings rely on."""
        taken = known.role if known else self.role(name)
        if role is not None and taken is not None and taken != role:
            advice = (
                "use another name" if known else f"use another name, or `model remove {name}` first"
            )
            raise RefusedError(f"{name!r} is the name of {_A[taken]}; {advice}.")
        return role or taken or "embedder"

    def _store(self, model: InstalledModel, fetched: Path) -> InstalledModel:
        try:
            model.folder.mkdir(parents=True, exist_ok=True)
            (model.folder / _CARD).unlink(missing_ok=True)  # an incomplete model has no card
            for part in _PARTS:
                shutil.copyfile(fetched / part, model.folder / f"{part}.{os.getpid()}.part")
                (model.folder / f"{part}.{os.getpid()}.part").replace(model.folder / part)
            card = {
                "name": model.name,
                "role": model.role,
                "reading": asdict(model.reading),
                "digests": model.digests,
            }
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

    Raises RefusedError if it does not run, is of another role, or is not the known model of that name.
    """
    try:
        if known:
            verify(known, model.folder)
        shape = _output_shape(model) if runnable() else None
    except ModelError as error:
        reason = error.reason.replace(str(model.folder), str(folder))
        raise RefusedError(
            f"the model in {str(folder)!r} does not run ({reason}); it must be a single file."
        ) from None
    except InvalidError as error:
        raise _another(model.name, folder, str(error)) from None
    if shape is not None:
        _check_shape(model, known, folder, shape)


def _check_shape(
    model: InstalledModel, known: Model | None, folder: Path, shape: tuple[int, ...]
) -> None:
    is_reranker = shape in ((1,), (1, 1))
    if model.role == "reranker" and not is_reranker:
        raise RefusedError(
            f"the model in {str(folder)!r} is not a reranker: for a pair of texts it gives numbers of "
            f"the shape {shape}, not one number. An embedding model is installed without --role reranker."
        )
    if model.role == "embedder" and is_reranker:
        raise RefusedError(
            f"the model in {str(folder)!r} is not an embedding model: it gives one number for a text, as a "
            "reranker does. Install it with --role reranker."
        )
    if known and known.dimensions not in (None, shape[-1]):
        reason = f"it has {shape[-1]} dimensions, not {known.dimensions}"
        raise _another(model.name, folder, reason)


def _output_shape(model: InstalledModel) -> tuple[int, ...]:
    """What a trial gives: of one text to an embedder, of a pair to a reranker."""
    if model.role == "reranker":
        from recollect.storage.models.cross_encoder import OnnxCrossEncoder  # noqa: PLC0415

        return OnnxCrossEncoder(model).output_shape()
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    return OnnxEmbedder(model).output_shape()


def _default_name(role: Role | None, folder: Path | None) -> str:
    """The name of a model that was given none."""
    if role != "reranker":
        return DEFAULT
    return DEFAULT_RERANKER if folder is None else folder.resolve().name


def _another(name: str, folder: Path, reason: str) -> RefusedError:
    return RefusedError(
        f"{str(folder)!r} contains a different model than {name!r}: {reason}. Install it under "
        "another name."
    )


def _reading(model: Model | None, role: Role, pooling: str | None, query_prefix: str | None) -> Reading:
    if role == "reranker" and (pooling, query_prefix) != (None, None):
        raise RefusedError("--pooling and --query-prefix are for embedding models; leave them out.")
    own = Reading() if role == "embedder" else Reading(longest=PAIR_TOKENS)
    reading = model.reading if model else own
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
        role = role_named(fields.get("role", "embedder"))
        if role is None:
            return None
        model = InstalledModel(str(fields["name"]), card.parent, reading, digests, role)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    complete = all(part in digests and (card.parent / part).is_file() for part in _PARTS)
    return model if complete else None


def _is_intact(model: InstalledModel) -> bool:
    """Whether the files are still those that were installed."""
    try:
        return all(digest(model.folder / part) == model.digests[part] for part in _PARTS)
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
