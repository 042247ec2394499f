"""Random tokens: long ones wherever they are, shorter ones beside a word for a key."""

import base64
import string

import pytest
from tests.redaction.sample_keys import ALNUM, HEX, LOWER, WORD, drawn, uuid
from tests.requirements import requirement

from recollect.redaction.redact import find, redact

BASE32 = string.ascii_uppercase + "234567"
AROUND = (
    "{t}",
    "see {t} in the log",
    "value: {t}",
    "x = '{t}'",
    "| a | {t} |",
    '{{"data": "{t}"}}',
    "- {t}",
    "v={t}",
)
BESIDE = (
    *(
        "the Acme key is {t}",
        "acme_key = {t}",
        "X-Api-Key: {t}",
        "our weather token: {t}",
        "acmeKey: '{t}'",
    ),
    *("use secret {t} for the mailer", "acme api key {t}"),
)


@requirement("redaction:tokens:bare")
@pytest.mark.parametrize("letters", [ALNUM, WORD, ALNUM + "+/"])
def test_a_long_random_token_is_taken_out_wherever_it_is(letters: str) -> None:
    tokens = ["K" + drawn(size, letters, seed) for seed in range(20) for size in (35, 43, 63)]
    texts = [(around.format(t=token), token) for token in tokens for around in AROUND]

    left = [text for text, token in texts if token in redact(text)[0]]

    assert len(left) <= 0.01 * len(texts), left


@requirement("redaction:tokens:beside-a-word")
@pytest.mark.parametrize("letters", [HEX, BASE32, LOWER])
def test_a_key_beside_a_word_for_it_is_taken_out(letters: str) -> None:
    keys = [drawn(size, letters, seed) for seed in range(12) for size in (24, 32, 40)]
    texts = [(beside.format(t=key), key) for key in keys for beside in BESIDE]

    left = [text for text, key in texts if key in redact(text)[0]]

    assert len(left) <= 0.02 * len(texts), left


@requirement("redaction:tokens:bare")
@pytest.mark.parametrize(
    "text",
    [
        f"github.com/a/b v1.2.3 h1:{drawn(43)}=",
        f"sha512-{drawn(86)}==",
        f"integrity: {drawn(64)}",
        f"commit {drawn(40, HEX)}",
        f"request {uuid()}",
        f"request_id={drawn(40)}",
        f"nextPageToken: {drawn(44)}",
        f"csrf-token={drawn(44)}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{drawn(43)} a@b",
        f"https://host.test/forum/#!msg/{drawn(40)}",
        f"-----BEGIN CERTIFICATE-----\n{drawn(64)}\n{drawn(64, seed=2)}\n-----END CERTIFICATE-----",
        "TestReturnsNotFoundWhenTheUserWithId404IsMissing2",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        base64.b64encode(b"the quick brown fox jumps over 13 lazy dogs").decode(),
    ],
)
def test_a_digest_an_id_data_and_a_name_stay(text: str) -> None:
    assert find(text) == []
