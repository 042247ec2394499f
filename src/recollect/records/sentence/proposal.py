"""What a sentence would become, and what stands in its way."""

from dataclasses import dataclass

from recollect.records.json_format import JsonObject
from recollect.records.memories import Repeats, Saved
from recollect.records.redaction_port import SecretFinding
from recollect.records.sentence.derivation import Derived
from recollect.records.store import Stored


@dataclass(frozen=True, slots=True)
class Contradicts:
    """Nothing was written: a memory in force may say the opposite, and `reason` says how."""

    existing: Stored
    reason: str


Outcome = Saved | Repeats | Contradicts


@dataclass(frozen=True, slots=True)
class SentenceProposal:
    """What a sentence would become, and the secrets that were removed from it first."""

    derived: Derived
    redacted: tuple[SecretFinding, ...] = ()

    @property
    def document(self) -> JsonObject:
        return self.derived.document
