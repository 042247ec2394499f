"""The user's models, embedders and rerankers; no project is needed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect import config as configuration
from recollect import paths
from recollect.app.settings import set_value
from recollect.config import Config
from recollect.errors import NotFoundError, RefusedError
from recollect.installation import how_to_add
from recollect.storage.models.download import SILENT, DownloadListener
from recollect.storage.models.installed import (
    InstalledModel,
    ModelFolder,
    ModelState,
    is_model_name,
    runnable,
)
from recollect.storage.models.manifest import Model, Role, install_command, role_named

__all__ = ["NO_RERANKER", "DownloadListener", "UserModels", "open_models"]

NO_RERANKER = "none"  # in the configuration
_MODEL, _RERANKER = "retrieval.model", "retrieval.reranker"


@dataclass(frozen=True, slots=True)
class UserModels:
    """The user's models, the same in every project."""

    folder: ModelFolder
    config: Config
    file: Path

    @property
    def used(self) -> str:
        """The embedding model that search uses."""
        return self.config.retrieval.model

    def is_used(self, name: str) -> bool:
        """Whether search uses this model, in its role."""
        settings = self.config.retrieval
        return name == (settings.reranker if self.folder.role(name) == "reranker" else settings.model)

    def install(
        self,
        name: str | None = None,
        *,
        role: str | None = None,
        folder: Path | None = None,
        pooling: str | None = None,
        query_prefix: str | None = None,
        listener: DownloadListener = SILENT,
    ) -> None:
        """As `ModelFolder.install`. A reranker is used from now on, unless another one is in use.

        That is what switches reranking on; nothing else does.
        """
        if name == NO_RERANKER:
            raise RefusedError(f"{name!r} means that there is no reranker; use another name.")
        model = self.folder.install(
            name,
            role=_role(role),
            folder=folder,
            pooling=pooling,
            query_prefix=query_prefix,
            listener=listener,
        )
        current = self.config.retrieval.reranker
        if model.role == "reranker" and self.folder.get(current, "reranker") is None:
            self.use(model.name)

    def use(self, name: str) -> None:
        """Search with this model from now on, in its role, in every project of this user."""
        role = self.folder.role(name)
        if role is None:
            state = "is damaged" if self.folder.has(name) else "is not installed"
            raise NotFoundError(f"the model {name!r} {state}; `{install_command(name)}` installs it.")
        key = _RERANKER if role == "reranker" else _MODEL
        set_value(self.file, key, name, private=True)

    def remove(self, name: str) -> None:
        """Delete a model. Without the reranker in use, servers search without one."""
        self.folder.remove(name)
        own = self.config.origin(_RERANKER) == str(self.file)
        if own and self.config.retrieval.reranker == name:
            set_value(self.file, _RERANKER, NO_RERANKER, private=True)

    def notes(self, known: Sequence[tuple[str, Model | None, ModelState]]) -> list[str]:
        """Problems with these models, and what to do about them."""
        damaged = (name for name, _, state in known if state == "damaged")
        reranker = self.config.retrieval.reranker
        notes = [_damaged(name, "reranker" if name == reranker else "embedder") for name in damaged]
        notes += [
            lacking(self.folder, self.config, str(self.file)) for lacking in (missing, missing_reranker)
        ]
        return list(dict.fromkeys(filter(None, notes)))


def _role(name: str | None) -> Role | None:
    """The role that a user names. Raises RefusedError for another word."""
    role = role_named(name) if name is not None else None
    if name is not None and role is None:
        raise RefusedError(f"unknown role {name!r}; use embedder or reranker.")
    return role


def open_models(env: Mapping[str, str] = os.environ) -> UserModels:
    """The user's models; no project is needed."""
    file = paths.user_config(env)
    folder = ModelFolder(Path(paths.cache_folder(env)) / "models")
    return UserModels(folder, configuration.load(env, file), Path(file))


def configured_model(folder: ModelFolder, config: Config, user_file: str) -> InstalledModel | None:
    """The model that search uses; None if it is not installed, or is one that a project may not name."""
    name, origin = config.retrieval.model, config.origin(_MODEL)
    return None if _is_foreign(name, origin, user_file) else folder.get(name)


def configured_reranker(folder: ModelFolder, config: Config, user_file: str) -> InstalledModel | None:
    """The reranker that servers use; None if there is none, or a project may not name it."""
    name, origin = config.retrieval.reranker, config.origin(_RERANKER)
    return None if _is_foreign(name, origin, user_file) else folder.get(name, "reranker")


def _is_foreign(name: str, origin: str, user_file: str) -> bool:
    """Whether a project's file names a model by its path: a repository must not bring a model to run."""
    is_own = origin in ("default", user_file) or origin.startswith("$")
    return not is_own and not is_model_name(name)


def missing(folder: ModelFolder, config: Config, user_file: str) -> str:
    """Why search cannot use the configured model, and what to do about it.

    Empty when it can, and while no model was chosen or installed.
    """
    name, origin = config.retrieval.model, config.origin(_MODEL)
    if _is_foreign(name, origin, user_file):
        return _foreign(name, origin)
    if folder.get(name) is not None:
        return "" if runnable() else _without_packages(name)
    if folder.role(name) is not None:
        return f"{name!r} is a reranker, not an embedding model; change `{_MODEL}` in {origin}"
    if folder.has(name):
        return _damaged(name)
    others = [model.name for model in folder.installed()]
    if not others and origin == "default":
        return ""
    advice = f"`{install_command(name)}` installs it"
    if origin not in ("default", user_file):
        advice += f", or change {origin}"
    elif others:
        advice += f", `recollect model use {others[0]}` chooses another"
    return f"search is configured to use the model {name!r}, which is not installed; {advice}"


def missing_reranker(folder: ModelFolder, config: Config, user_file: str) -> str:
    """Why servers cannot use the configured reranker, and what to do about it; empty when they can."""
    name, origin = config.retrieval.reranker, config.origin(_RERANKER)
    if name == NO_RERANKER:
        return ""
    if _is_foreign(name, origin, user_file):
        return _foreign(name, origin)
    if folder.get(name, "reranker") is not None:
        return "" if runnable() else _without_packages(name)
    if folder.role(name) is not None:
        return f"{name!r} is an embedding model, not a reranker; change `{_RERANKER}` in {origin}"
    if folder.has(name):
        return _damaged(name, "reranker")
    return (
        f"search is configured to use the reranker {name!r}, which is not installed; "
        f"`{install_command(name, 'reranker')}` installs it, `{_RERANKER}` in {origin} names it"
    )


def _foreign(name: str, origin: str) -> str:
    return (
        f"{origin} names the model {name!r}, but a project may name only a model that you have "
        "installed; `recollect model list` shows them"
    )


def _without_packages(name: str) -> str:
    advice = f"`{how_to_add('vectors')}` adds the packages that run it"
    return f"the model {name!r} is installed, but cannot be run; {advice}"


def _damaged(name: str, role: Role = "embedder") -> str:
    return (
        f"the model {name!r} is damaged; `{install_command(name, role)}` repairs it, "
        f"`recollect model remove {name}` deletes it"
    )
