"""The gate for documents: every string inside a JSON value, and the names of its fields."""

from __future__ import annotations

from recollect.records.redaction_port import SecretFinding
from recollect.redaction.assignments import is_assigned_secret
from recollect.redaction.redact import BUILT_IN, REDACTED, digest, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.records.json_format import Json
    from recollect.redaction.redact import UserRules

_MAX_PASSWORD = 4096  # characters: a longer text is no password


def gate(value: Json, field: str = "", rules: UserRules = BUILT_IN) -> tuple[Json, list[SecretFinding]]:
    """Redact every string inside a value, names of fields included. Implements the `RedactionGate` port."""
    if isinstance(value, str):
        text, spans = redact(value, rules)
        return text, [SecretFinding(span.kind, field) for span in spans]
    if isinstance(value, list):
        pairs = [gate(item, f"{field}[{index}]", rules) for index, item in enumerate(value)]
        return [item for item, _ in pairs], [finding for _, findings in pairs for finding in findings]
    if isinstance(value, dict):
        return _gated_object(value, field, rules)
    return value, []


# Fields of a pair: `{"name": "DB_PASSWORD", "value": "..."}`.
_NAMES, _VALUES = ("name", "key", "Name", "Key"), ("value", "Value")


def _gated_object(
    value: dict[str, Json], field: str, rules: UserRules
) -> tuple[dict[str, Json], list[SecretFinding]]:
    clean: dict[str, Json] = {}
    findings: list[SecretFinding] = []
    named = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    for key, item in value.items():
        name, in_name = gate(key, field, rules)
        path = f"{field}.{name}" if field else str(name)
        clean_item, in_item = gate(item, path, rules)
        title = str(named) if key in _VALUES else key
        if not in_item and isinstance(item, str) and _is_named_secret(title, item, rules):
            clean_item, in_item = REDACTED, [SecretFinding("assigned secret", path)]
        clean[_unused(str(name), clean)] = clean_item
        findings += [*in_name, *in_item]
    return clean, findings


def _is_named_secret(key: str, item: str, rules: UserRules) -> bool:
    """Whether a field's name makes its text a secret: `{"password": "..."}`."""
    if len(item) > _MAX_PASSWORD or not is_assigned_secret(key, item):
        return False
    return not (rules.allow and digest(item) in rules.allow)


def _unused(name: str, taken: dict[str, Json]) -> str:
    while name in taken:
        name += "'"
    return name
