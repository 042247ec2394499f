"""The gate in front of every write: the port that redaction implements."""

from dataclasses import dataclass
from typing import Protocol

from recollect.records.json_format import Json


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret that was removed: its kind and its field, never its value."""

    kind: str
    field: str


class RedactionGate(Protocol):
    """Removes secrets from a value before it is stored. An error in it stops the write."""

    def __call__(self, value: Json, field: str = "") -> tuple[Json, list[SecretFinding]]:
        """The value as it may be stored, and what was removed from it."""
        ...


def secret_in_slug(slug: str, gate: RedactionGate) -> str | None:
    """The kind of secret in an id or in the name of a file; None without one.

    A slug has hyphens where the secret had other signs, so it is read in three ways.
    """
    readings = (slug, slug.replace("-", " "), slug.replace("-", "_"))
    findings = [finding for text in readings for finding in gate(text)[1]]
    return findings[0].kind if findings else None
