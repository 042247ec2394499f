"""The user's embedding models; no project is needed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as configuration
from recollect import places
from recollect.app.settings import set_value
from recollect.config import Config
from recollect.errors import (
    NotFoundError,
)
from recollect.storage.models.shelf import ModelShelf

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class UserModels:
    """The user's embedding models, the same in every project."""

    shelf: ModelShelf
    config: Config
    file: Path

    @property
    def used(self) -> str:
        """The model that search reads with."""
        return self.config.text("retrieval.model")

    def use(self, name: str) -> None:
        """Search with this model from now on, in every project of this user."""
        if self.shelf.get(name) is None:
            raise NotFoundError(
                f"the model {name!r} is not installed; `recollect model install` does that."
            )
        set_value(self.file, "retrieval.model", name)


def open_models(env: Mapping[str, str] = os.environ) -> UserModels:
    """The user's models; no project is needed."""
    file = places.user_config(env)
    shelf = ModelShelf(Path(places.cache_folder(env)) / "models")
    return UserModels(shelf, configuration.load(env, file), Path(file))
