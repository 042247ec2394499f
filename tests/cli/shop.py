"""A project with a few memories in it, to search."""

from typing import Any

from tests.cli.running import Cli
from tests.samples import CONTENT

from recollect.records.categories import Category

JWT, QUEUE, UPLOAD = "sign-a-jwt-at-login", "drain-the-dead-letter-queue", "uploads-stay-under-5-mb"


def content(category: Category, **fields: Any) -> dict[str, Any]:
    return dict(CONTENT[category]) | fields


def fill(cli: Cli) -> None:
    """Save a decision, a runbook about a file, and a constraint."""
    cli.save()
    steps = ["Restart the worker.", "Replay the dead letters with replay_letters."]
    cli.save(
        "Drain the dead letter queue",
        category=Category.RUNBOOK,
        tags=["queue", "worker"],
        content=content(Category.RUNBOOK, steps=steps),
        related_files=["src/worker.py"],
    )
    cli.save("Uploads stay under 5 MB", category=Category.CONSTRAINT, tags=["upload"],
             content=content(Category.CONSTRAINT))  # fmt: skip


def ids(cli: Cli, *arguments: str) -> list[str]:
    """What a search finds."""
    return [hit["id"] for hit in cli.ok("search", *arguments, "--json").json()["hits"]]
