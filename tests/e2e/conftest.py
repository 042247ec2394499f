"""Projects for whole runs: those of the command line."""

from tests.cli.conftest import bare, cli, repository

__all__ = ["bare", "cli", "repository"]
