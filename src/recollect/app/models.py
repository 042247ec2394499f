"""The user's embedding models; no project is needed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect import config as configuration
from recollect import user_paths
from recollect.app.settings import set_value
from recollect.config import Config
from recollect.errors import (
    NotFoundError,
)
from recollect.storage.models.installed import ModelFolder, ModelState, runnable
from recollect.storage.models.manifest import Model, install_command


@dataclass(frozen=True, slots=True)
class UserModels:
    """The user's embedding models, the same in every project."""

    shelf: ModelFolder
    config: Config
    file: Path

    @property
    def used(self) -> str:
        """The model that search reads with."""
        return self.config.retrieval.model

    def use(self, name: str) -> None:
        """Search with this model from now on, in every project of this user."""
        if self.shelf.get(name) is None:
            state = "is damaged" if self.shelf.has(name) else "is not installed"
            raise NotFoundError(f"the model {name!r} {state}; `{install_command(name)}` installs it.")
        set_value(self.file, "retrieval.model", name)

    def notes(self, known: Sequence[tuple[str, Model | None, ModelState]]) -> list[str]:
        """What is wrong with the models that are known, and what to do about it."""
        told = [_damaged(name) for name, _, state in known if state == "damaged"]
        if lacking := missing(self.shelf, self.config, str(self.file)):
            told.append(lacking)
        return list(dict.fromkeys(told))


def open_models(env: Mapping[str, str] = os.environ) -> UserModels:
    """The user's models; no project is needed."""
    file = user_paths.user_config(env)
    shelf = ModelFolder(Path(user_paths.cache_folder(env)) / "models")
    return UserModels(shelf, configuration.load(env, file), Path(file))


def missing(shelf: ModelFolder, config: Config, user_file: str) -> str:
    """Why search cannot read with the model that it is to read with, and what to do.

    Empty when it can, and when nobody has chosen or installed a model yet.
    """
    name, origin = config.retrieval.model, config.origin("retrieval.model")
    if shelf.get(name) is not None:
        advice = "`pip install 'recollect[vectors]'` adds what runs it"
        return "" if runnable() else f"the model {name!r} is installed and nothing can run it; {advice}"
    if shelf.has(name):
        return _damaged(name)
    others = [model.name for model in shelf.installed()]
    if not others and origin == "default":
        return ""
    advice = f"`{install_command(name)}` installs it"
    if origin not in ("default", user_file):
        advice += f", or change {origin}"
    elif others:
        advice += f", `recollect model use {others[0]}` takes another"
    return f"search is to read with the model {name!r}, which is not installed; {advice}"


def _damaged(name: str) -> str:
    return (
        f"the model {name!r} is damaged; `{install_command(name)}` mends it, "
        f"`recollect model remove {name}` deletes it"
    )
