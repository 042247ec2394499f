"""Secrets: in a text that is redacted, and in stored memories. Never their values."""

from typing import NotRequired, TypedDict

from recollect.records.scrub import Scrubbed


class SecretRow(TypedDict):
    """A secret in a text: its kind and position, never its value. `digest` can be used to allow it."""

    kind: str
    start: int
    end: int
    digest: NotRequired[str]


class StoredSecretRow(TypedDict):
    """A secret in a memory's file."""

    path: str
    field: str
    kind: str
    fixed: bool


def stored_secret_rows(scrubbed: Scrubbed) -> list[StoredSecretRow]:
    """The secrets in one memory's file."""
    return [
        {
            "path": scrubbed.path,
            "field": finding.field,
            "kind": finding.kind,
            "fixed": scrubbed.fixed,
        }
        for finding in scrubbed.findings
    ]


class RedactOutput(TypedDict):
    """`recollect redact`: the text without its secrets; with `--scan`, `stored` lists those in memories.

    `start` and `end` count characters of the input.
    """

    applied: bool
    redacted: NotRequired[str]
    findings: NotRequired[list[SecretRow]]
    stored: NotRequired[list[StoredSecretRow]]
