"""`import` and `export`: memories from elsewhere, and to elsewhere."""

import typer


def register(app: typer.Typer) -> None: ...
