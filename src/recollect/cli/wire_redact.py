"""The shapes that `redact` and `bench redaction` print with `--json`."""

from typing import NotRequired, TypedDict


class SecretFound(TypedDict):
    """A secret in a text: its kind and place, never its value. It can be allowed by its `digest`."""

    kind: str
    start: int
    end: int
    digest: NotRequired[str]


class SecretStored(TypedDict):
    """A secret in a memory's file."""

    path: str
    field: str
    kind: str
    fixed: bool


class RedactOutput(TypedDict):
    """`recollect redact`: a text without its secrets; with `--scan`, `stored` names those in memories.

    `start` and `end` count the characters of the text that was given.
    """

    applied: bool
    redacted: NotRequired[str]
    findings: NotRequired[list[SecretFound]]
    stored: NotRequired[list[SecretStored]]


class BenchRedactionOutput(TypedDict):
    """`recollect bench redaction`: shares of secrets found, of look-alikes and of plain lines touched."""

    recall: float
    false_positive_rate: float
    benign_line_rate: float | None
    positives: int
    negatives: int
    benign_lines: int
    missed: dict[str, int]
    false_positives: dict[str, int]


REDACT_SHAPES: dict[str, type] = {
    "bench redaction": BenchRedactionOutput,
    "redact": RedactOutput,
}
