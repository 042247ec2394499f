"""The redaction gate over the parts of a result, before they are stored."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from recollect.gateway.vault.content import BinaryPart, JsonPart, Part, TextPart, text_part
from recollect.gateway.vault.shape import compact
from recollect.records.json_format import Json
from recollect.records.redaction_port import RedactionGate, SecretFinding

# The gate reads a document value by value at a tenth of its speed over one text.
_LARGEST_DOCUMENT = 200_000  # characters


def redacted_parts(parts: Sequence[Part], gate: RedactionGate) -> tuple[list[Part], list[str]]:
    """The parts as they may be stored, and what was removed, as `2 x e-mail address`."""
    kinds: Counter[str] = Counter()
    clean: list[Part] = []
    for part in parts:
        stored, findings = _redacted(part, gate)
        clean.append(stored)
        kinds.update(finding.kind for finding in findings)
    return clean, [f"{count} x {kind}" for kind, count in sorted(kinds.items())]


def _redacted(part: Part, gate: RedactionGate) -> tuple[Part, list[SecretFinding]]:
    name, in_name = gate(part.name)
    if isinstance(part, BinaryPart):
        return replace(part, name=str(name)), in_name
    if isinstance(part, JsonPart):
        stored, findings = _redacted_document(part.value, gate)
        return replace(stored, name=str(name)), [*in_name, *findings]
    text, findings = gate(part.text)
    return replace(part, text=str(text), name=str(name)), [*in_name, *findings]


def _redacted_document(value: Json, gate: RedactionGate) -> tuple[Part, list[SecretFinding]]:
    """A document value by value; a large one as text, with a field on each line as the gate reads them."""
    if len(compact(value)) <= _LARGEST_DOCUMENT:
        clean, findings = gate(value)
        return JsonPart(clean), findings
    text, findings = gate(json.dumps(value, ensure_ascii=False, indent=0))
    if not findings:
        return JsonPart(value), []
    clean_part = text_part(str(text), "application/json")
    return (clean_part if isinstance(clean_part, JsonPart) else TextPart(str(text))), findings
