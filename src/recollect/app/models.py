"""The user's embedding models; no project is needed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect import config as configuration
from recollect import paths
from recollect.app.settings import set_value
from recollect.config import Config
from recollect.errors import NotFoundError
from recollect.installation import how_to_add
from recollect.storage.models.installed import (
    InstalledModel,
    ModelFolder,
    ModelState,
    is_model_name,
    runnable,
)
from recollect.storage.models.manifest import Model, install_command


@dataclass(frozen=True, slots=True)
class UserModels:
    """The user's embedding models, the same in every project."""

    folder: ModelFolder
    config: Config
    file: Path

    @property
    def used(self) -> str:
        """The model that search uses."""
        return self.config.retrieval.model

    def use(self, name: str) -> None:
        """Search with this model from now on, in every project of this user."""
        if self.folder.get(name) is None:
            state = "is damaged" if self.folder.has(name) else "is not installed"
            raise NotFoundError(f"the model {name!r} {state}; `{install_command(name)}` installs it.")
        set_value(self.file, "retrieval.model", name, private=True)

    def notes(self, known: Sequence[tuple[str, Model | None, ModelState]]) -> list[str]:
        """Problems with these models, and what to do about them."""
        notes = [_damaged(name) for name, _, state in known if state == "damaged"]
        if lacking := missing(self.folder, self.config, str(self.file)):
            notes.append(lacking)
        return list(dict.fromkeys(notes))


def open_models(env: Mapping[str, str] = os.environ) -> UserModels:
    """The user's models; no project is needed."""
    file = paths.user_config(env)
    folder = ModelFolder(Path(paths.cache_folder(env)) / "models")
    return UserModels(folder, configuration.load(env, file), Path(file))


def configured_model(folder: ModelFolder, config: Config, user_file: str) -> InstalledModel | None:
    """The model that search uses; None if it is not installed, or is one that a project may not name."""
    return None if _is_foreign(config, user_file) else folder.get(config.retrieval.model)


def _is_foreign(config: Config, user_file: str) -> bool:
    """Whether a project's file names a model by its path: a repository must not bring a model to run."""
    origin = config.origin("retrieval.model")
    is_own = origin in ("default", user_file) or origin.startswith("$")
    return not is_own and not is_model_name(config.retrieval.model)


def missing(folder: ModelFolder, config: Config, user_file: str) -> str:
    """Why search cannot use the configured model, and what to do about it.

    Empty when it can, and while no model was chosen or installed.
    """
    name, origin = config.retrieval.model, config.origin("retrieval.model")
    if _is_foreign(config, user_file):
        return (
            f"{origin} names the model {name!r}, but a project may name only a model that you have "
            "installed; `recollect model list` shows them"
        )
    if folder.get(name) is not None:
        advice = f"`{how_to_add('vectors')}` adds the packages that run it"
        return "" if runnable() else f"the model {name!r} is installed, but cannot be run; {advice}"
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


def _damaged(name: str) -> str:
    return (
        f"the model {name!r} is damaged; `{install_command(name)}` repairs it, "
        f"`recollect model remove {name}` deletes it"
    )
