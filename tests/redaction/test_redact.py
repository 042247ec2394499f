import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import VALUES
from tests.redaction.sample_keys import ALNUM, HEX, ISSUED, drawn, pem, uuid
from tests.requirements import requirement

from recollect import redaction
from recollect.records.json_format import Json
from recollect.redaction.gate import gate
from recollect.redaction.redact import REDACTED, Span, UserRules, digest, find, redact

KEY = drawn(36)
SECRETS = [key for keys in ISSUED.values() for key in keys]
PIECES = [
    *SECRETS,
    pem(),
    f'DB_PASSWORD="{KEY}"',
    f"https://app:{KEY[:9]}@db/",
    "token=",
    "key: ",
    "\n",
]


@requirement("gate:redact:families")
@pytest.mark.parametrize("kind", ISSUED)
def test_a_key_that_a_provider_issued_is_taken_out_and_the_text_round_it_stays(kind: str) -> None:
    for key in ISSUED[kind]:
        shown, spans = redact(f"Before {key} after")

        assert kind in {span.kind for span in spans}, key[:6]
        assert shown.startswith("Before ")
        assert shown.endswith(" after")
        assert key[-12:] not in shown


@pytest.mark.parametrize("kind", ISSUED)
def test_the_letters_of_an_example_are_no_key(kind: str) -> None:
    for key in ISSUED[kind]:
        masked = "".join("x" if one.isalnum() and place > 8 else one for place, one in enumerate(key))

        assert find(masked) == [] or kind in (
            "age key",
            "slack webhook",
            "plaid token",
            "telegram token",
        )


@pytest.mark.parametrize("mark", ["_", "-", "."])
def test_a_key_of_a_provider_we_never_heard_of_is_known_by_its_shape(mark: str) -> None:
    assert [span.kind for span in find(f"use zorp{mark}{drawn(40)} for it")] == ["high-entropy token"]


@requirement("redaction:keys:context")
def test_a_short_random_token_is_a_secret_only_with_the_right_word_before_it() -> None:
    token = drawn(28)

    assert find(f"the build of {token} passed") == []
    assert find(f"the api key {token} works")
    assert find(f"the commit hash for the key is {token}") == []


@requirement("redaction:blocks:whole")
@pytest.mark.parametrize("feed", ["\n", "\\n", "\r\n", "\\r\\n"])
@pytest.mark.parametrize(
    "label", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_a_private_key_goes_with_its_whole_block(label: str, feed: str) -> None:
    block = pem(label, feed)

    assert redact(f'{{"private_key": "{block}{feed}", "client": "x"}}')[0].count(REDACTED) == 1
    assert drawn(64, ALNUM + "+/", 2)[:20] not in redact(f"{block}\nand more words here")[0]
    assert redact(f"{block}\nand more words here")[0].endswith("\nand more words here")


def test_a_private_key_without_its_end_goes_as_far_as_it_looks_like_one() -> None:
    cut = pem()[:150]

    assert redact(cut)[0] == REDACTED
    assert redact(f"{cut}\nThe log goes on here.")[0] == f"{REDACTED}\nThe log goes on here."


@pytest.mark.parametrize("feed", ["\n", "\\n"])
def test_a_private_key_whose_beginning_was_cut_off_goes_too(feed: str) -> None:
    cut = pem(feed=feed)[60:]

    shown, _ = redact(f"as it said:{feed}{cut}{feed}the end")

    assert not any(drawn(64, ALNUM + "+/", seed)[-30:] in shown for seed in range(3))
    assert shown.startswith("as it said:")
    assert shown.endswith("the end")


def test_words_about_private_keys_stay() -> None:
    dashes = "-" * 5

    assert find(f'if "{dashes}BEGIN PRIVATE KEY{dashes}" in text: refuse(text)') == []
    assert (
        find(f"{dashes}BEGIN CERTIFICATE{dashes}\n{drawn(64)}\n{dashes}END CERTIFICATE{dashes}") == []
    )


def test_keys_in_other_wrappings_are_found() -> None:
    putty = f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{drawn(64)}\nPrivate-MAC: 0"
    jwk = f'{{"kty": "EC", "crv": "P-256", "x": "{drawn(43)}", "d": "{drawn(43, seed=1)}"}}'
    kubernetes = f"apiVersion: v1\nkind: Secret\ndata:\n  some: {drawn(40)}\n"

    for text in (putty, jwk, kubernetes):
        assert next(span.kind for span in find(text)) in ("private key", "kubernetes secret")
    assert drawn(43, seed=1) not in redact(jwk)[0]
    assert drawn(43) in redact(jwk)[0]


@requirement("gate:redact:never-digests")
@pytest.mark.parametrize(
    "text",
    [
        f"commit {drawn(40, HEX)}",
        f"{drawn(7, HEX)} Fix the token parser",
        f"index {drawn(7, HEX)}..{drawn(7, HEX, 1)} 100644",
        f"id {uuid()}",
        f"sha256:{drawn(64, HEX)}",
        f'"integrity": "sha512-{drawn(86, ALNUM + "+/")}==",',
        f'hash = "sha256:{drawn(64, HEX)}", token = "sha256:{drawn(64, HEX)}"',
        f"https://files.example/{drawn(2, HEX)}/{drawn(60, HEX)}/tokens-1.2.3.tar.gz",
        f"assets/icon-{drawn(32, HEX)}.png",
        f"tokenizers==0.22.1 --hash=sha256:{drawn(64, HEX)}",
        "src/recollect/redaction/redact.py:12-40",
        "jwt-over-session-cookies",
        "public_key = " + drawn(64, HEX),
    ],
)
def test_hashes_uuids_paths_and_ids_are_left_alone(text: str) -> None:
    assert find(text) == []


def test_a_persons_address_goes_and_that_of_a_commit_or_a_machine_stays() -> None:
    assert [span.kind for span in find("ask jane.doe" + "@acme.io about it")] == ["e-mail address"]
    for text in (
        "Author: Jane Doe <jane.doe" + "@acme.io>",
        "    Co-authored-by: Jane Doe <jane.doe" + "@acme.io>",
        "git clone git@github.com:acme/shop.git",
        "noreply" + "@acme.io",
        "jane" + "@example.com",
        "icon@2x.png and pkg@1.2.3 and @decorated.call(x)",
    ):
        assert find(text) == []


def test_overlapping_findings_are_one_under_the_surest_name() -> None:
    key = ISSUED["github token"][0]
    text = f'GITHUB_TOKEN="{key}"'

    assert find(text) == [Span("github token", 14, 14 + len(key))]


def test_several_secrets_in_one_text_are_all_taken_out() -> None:
    shown, _ = redact(" and ".join(SECRETS))

    assert [key[:8] for key in SECRETS if key[-12:] in shown] == []


@requirement("redaction:gate:idempotent")
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=8),
    st.sampled_from(["", " ", "\n"]),
)
def test_redacting_twice_is_redacting_once(parts: list[str], between: str) -> None:
    once, _ = redact(between.join(parts))

    assert redact(once) == (once, [])


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=6))
def test_what_is_not_in_a_span_is_kept_as_it_was(parts: list[str]) -> None:
    text = " ".join(parts)
    shown, spans = redact(text)

    kept, last = [], 0
    for span in spans:
        assert last <= span.start < span.end <= len(text)
        kept += [text[last : span.start], REDACTED]
        last = span.end
    assert shown == "".join([*kept, text[last:]])


@requirement("redaction:allow:by-digest")
def test_a_value_whose_digest_is_allowed_stays_and_others_go() -> None:
    allowed, other = ISSUED["github token"][:2]
    rules = UserRules(allow=frozenset({digest(allowed)}))

    assert redact(f"{allowed} {other}", rules)[0] == f"{allowed} {REDACTED}"


def test_the_gate_walks_into_lists_and_objects_and_names_the_field() -> None:
    key = SECRETS[0]
    document: Json = {"title": "x", "content": {"steps": ["plain", f"use {key}"], "n": 1, "b": None}}

    cleaned, found = gate(document)

    assert cleaned == {
        "title": "x",
        "content": {"steps": ["plain", f"use {REDACTED}"], "n": 1, "b": None},
    }
    assert [(one.kind, one.field) for one in found] == [("aws access key", "content.steps[1]")]


@requirement("gate:redact:value-never-told")
@pytest.mark.parametrize("key", SECRETS)
def test_a_finding_never_holds_the_value(key: str) -> None:
    assert key[-12:] not in repr(gate({"field": f"x {key}"})[1])


def test_a_field_whose_name_says_so_holds_a_secret_and_its_name_is_looked_at_too() -> None:
    key = SECRETS[0]

    cleaned, found = gate({"db_password": "sw0rdfish-7", "token_count": "12345678", key: "x"})

    assert cleaned == {"db_password": REDACTED, "token_count": "12345678", REDACTED: "x"}
    assert [(one.kind, one.field) for one in found] == [
        ("assigned secret", "db_password"),
        ("aws access key", ""),
    ]


@given(VALUES)
def test_a_value_without_a_secret_passes_unchanged(value: Json) -> None:
    assert gate(value) == (value, [])


@requirement("gate:redact:linear")
@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a.",
            "a-",
            "x",
            "\n",
            "password.",
            "password ",
            "token:",
            "key=",
            "bearer ",
            "://a:",
            "a=",
            "a@",
        ),
        *(
            "eyJ-",
            "eyJaaaaaaaa.",
            "sk-",
            "sk-ant-",
            "AKIA",
            "SG.aaaaaaaaaaaaaaaaaa-",
            "token=abc1",
            'token="',
        ),
        *(
            "-----BEGIN ",
            "-----BEGIN A PRIVATE KEY",
            "kind: Secret\n---\n",
            "curl -u ",
            "Private-Lines: 1\n",
        ),
        *(
            "Authorization: ",
            f"token {drawn(24)} ",
            f"ab_{drawn(24)}_",
            "--password ",
            "LS0tLS1CRUdJTi",
            "password for ",
            'variable "token" {',
            "password = env ",
            "+@a.b",
            "<ab@cd.io ",
            "auth=('a', '",
            "echo a1b2 password-stdin ",
            "a.b-c_d/",
        ),
    ],
)
def test_no_text_makes_the_gate_slow(unit: str) -> None:
    """A fraction of a second for all of it; a pattern that looks back and forth would take minutes."""
    text = unit * (60_000 // len(unit))
    start = time.process_time()

    find(text)

    assert time.process_time() - start < 10


@requirement("redaction:gate:fast")
@pytest.mark.parametrize("size", [2_000, 50_000])
def test_ordinary_text_is_through_the_gate_in_a_few_passes_over_its_characters(size: int) -> None:
    """About seven passes; 20 ms for 50,000 characters where a pass takes two."""
    source = Path(str(redaction.__file__)).with_name("value_check.py").read_text("utf-8")
    text = (source * (size // len(source) + 1))[:size]
    gate, one_pass = [], []
    for _ in range(9):
        start = time.process_time()
        redact(text)
        between = time.process_time()
        sum(ord(character) for character in text)
        gate.append(between - start)
        one_pass.append(time.process_time() - between)

    assert min(gate) < 12 * min(one_pass)


@requirement("gate:redact:families")
@pytest.mark.parametrize("word", ["hunter2secret99", "Tr0ub4dor&3", "token4you77", "S3cr3t;P4ss"])
def test_a_password_may_have_any_word_and_sign_in_it(word: str) -> None:
    clean, _ = redact(f"DB_PASSWORD={word}\nDB_HOST=db")

    assert clean == f"DB_PASSWORD={REDACTED}\nDB_HOST=db"


@requirement("gate:redact:families")
@pytest.mark.parametrize("name", ["user_password1", "password2", "oauth2_token_v2"])
def test_a_variable_that_holds_a_password_is_none(name: str) -> None:
    assert redact(f"password = {name}")[1] == []
