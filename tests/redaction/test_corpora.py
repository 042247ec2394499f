"""How the gate does on texts that were made up without asking it first."""

import pytest
from tests.redaction.hard_look_alikes import HARD_LOOK_ALIKES
from tests.redaction.look_alikes import LOOK_ALIKES
from tests.redaction.secrets_in_texts import SECRETS_IN_TEXTS
from tests.requirements import requirement

from recollect.redaction.redact import find, redact

PLAIN = LOOK_ALIKES | {f"{name}, harder": texts for name, texts in HARD_LOOK_ALIKES.items()}


def missed(carrier: str) -> list[str]:
    """The texts of a carrier in which a secret is left, whole."""
    held = [(text, secret) for text, secret in SECRETS_IN_TEXTS[carrier]]
    return [text for text, secret in held if secret in redact(text.replace("@@", secret))[0]]


@requirement("redaction:corpora:hidden")
def test_ninety_seven_of_a_hundred_secrets_are_taken_out_whatever_holds_them() -> None:
    left = [text for carrier in SECRETS_IN_TEXTS for text in missed(carrier)]

    assert len(left) <= 0.03 * sum(len(texts) for texts in SECRETS_IN_TEXTS.values()), left


@requirement("redaction:corpora:hidden")
@pytest.mark.parametrize("carrier", SECRETS_IN_TEXTS)
def test_no_carrier_is_a_blind_spot(carrier: str) -> None:
    assert len(missed(carrier)) <= 0.1 * len(SECRETS_IN_TEXTS[carrier]), missed(carrier)


@requirement("redaction:corpora:look-alikes")
@pytest.mark.parametrize("kind", PLAIN)
def test_what_only_looks_like_a_secret_stays(kind: str) -> None:
    touched = [text for text in PLAIN[kind] if find(text)]

    assert len(touched) <= 0.05 * len(PLAIN[kind]), touched
