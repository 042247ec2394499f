"""What a user chooses: settings, and embedding models."""

from typing import TypedDict


class ConfigRow(TypedDict):
    """One setting: its value, its origin, and what it does."""

    key: str
    value: str | int | float
    origin: str
    help: str


class ConfigOutput(TypedDict):
    """`recollect config`."""

    project: str
    root: str
    settings: list[ConfigRow]


class ModelRow(TypedDict):
    """One embedding model. `from_folder`: it cannot be downloaded, only installed from a folder."""

    name: str
    installed: bool
    damaged: bool
    in_use: bool
    from_folder: bool
    dimensions: int | None
    megabytes: int | None
    licence: str | None
    about: str


class ModelOutput(TypedDict):
    """`recollect model list`, `install`, `use` and `remove`: every model, as it is now."""

    models: list[ModelRow]
    notes: list[str]
