"""What both engines store of a capability beside its name and its counts: one JSON text."""

import json

from recollect.learning.capabilities import Capability


def content_of(capability: Capability) -> str:
    """The fields that no query asks for."""
    return json.dumps(
        {
            "intent": capability.intent,
            "code": capability.code,
            "parameters": dict(capability.parameters),
            "tools": list(capability.tools),
            "schemas": dict(capability.schemas),
            "named": capability.named,
        }
    )


def capability_of(name: str, digest: str, runs: int, successes: int, content: str) -> Capability:
    """A capability from its row."""
    fields = json.loads(content)
    return Capability(
        name,
        digest,
        fields["intent"],
        fields["code"],
        fields["parameters"],
        tuple(fields["tools"]),
        runs,
        successes,
        fields.get("schemas", {}),
        fields.get("named", False),
    )
