"""The gate returns for any text, and redacting twice is redacting once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.redaction.redact import redact

BASE64_PEM = "LS0tLS1CRUdJTi"
BITS = [
    BASE64_PEM,
    BASE64_PEM + "BSU0EgUFJJVkFURSBLRVktLS0tLQ",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----",
    "Private-Lines: 4\n",
    '{"kty": "RSA", "d": "',
    "kind: Secret\ndata:\n  password: ",
    "Authorization: Basic ",
    "password: ",
    "token=",
    "://a:",
    "@",
    "\u2026 cut",
    "\u200b",
    "\ud800",
    "\udfff",
    "\x00",
    "%3D",
    "=",
    "\n",
    "| password |\n",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
]
TEXTS = st.lists(
    st.sampled_from(BITS) | st.text(st.characters(codec=None), max_size=12), max_size=10
).map("".join)


@requirement("redaction:gate:any-text")
@pytest.mark.parametrize("cut", ["\u2026 cut", "\u00e9", "\ud800", "\u200b", "=", ""])
@pytest.mark.parametrize("size", [0, 1, 17, 63, 64, 65])
def test_an_encoded_key_that_was_cut_short_does_not_stop_the_gate(cut: str, size: int) -> None:
    redact(f"ca {BASE64_PEM}{'A' * size}{cut}")


@requirement("redaction:gate:any-text")
@given(TEXTS)
def test_any_text_passes_the_gate_and_a_second_time_changes_nothing(text: str) -> None:
    shown, _ = redact(text)

    assert redact(shown)[0] == shown
