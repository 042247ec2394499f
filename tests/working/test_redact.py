import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import VALUES
from tests.requirements import requirement

from recollect.records.json_format import Json
from recollect.working.patterns import FAMILIES
from recollect.working.redact import REDACTED, find, gate, redact

# Built from parts, so that no scanner takes this file for a leak.
BODY = "q7Zk2mXw9LpR4tVb8NcY1sDf6HgJ3uKe5oAi"
SECRETS: dict[str, tuple[str, str]] = {
    "private key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAK\nCAQEA\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAK",
    ),
    "jwt": (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{BODY}", BODY),
    "aws access key": ("AKIA" + "Q7MZ2XK4WPLR9TVB", "Q7MZ2XK4WPLR9TVB"),
    "github token": ("ghp_" + BODY, BODY),
    "gitlab token": ("glpat-" + BODY[:20], BODY[:20]),
    "slack token": ("xoxb-" + BODY[:24], BODY[:24]),
    "slack webhook": ("https://hooks.slack.com/services/T0/B0/" + BODY[:24], BODY[:24]),
    "google api key": ("AIza" + BODY[:35], BODY[:35]),
    "google oauth secret": ("GOCSPX-" + BODY[:28], BODY[:28]),
    "model provider key": ("sk-ant-" + BODY, BODY),
    "stripe key": ("sk_live_" + BODY[:24], BODY[:24]),
    "hugging face token": ("hf_" + BODY[:34], BODY[:34]),
    "npm token": ("npm_" + BODY, BODY),
    "pypi token": ("pypi-" + BODY * 2, BODY),
    "sendgrid key": (f"SG.{BODY[:22]}.{BODY}", BODY),
    "azure storage key": (f"AccountName=x;AccountKey={BODY * 2}==;", BODY),
    "digitalocean token": ("dop_v1_" + "0a1b2c3d" * 8, "0a1b2c3d"),
    "shopify token": ("shpat_" + "0a1b2c3d" * 4, "0a1b2c3d"),
    "bearer token": ("Authorization: Bearer " + BODY, BODY),
    "url credentials": ("postgres://app:hunter2@db/app", "hunter2"),
    "assigned secret": ('DB_PASSWORD="t0p-s3cret!"', "t0p-s3cret!"),
}


@requirement("gate:redact:families")
@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_every_family_is_taken_out_and_the_text_round_it_stays(kind: str) -> None:
    text, secret = SECRETS[kind]

    shown, spans = redact(f"Before {text} after")

    assert kind in {span.kind for span in spans}
    assert secret not in shown
    assert REDACTED in shown
    assert shown.startswith("Before ")
    assert shown.endswith(" after")


def test_every_family_has_a_sample_here() -> None:
    assert set(SECRETS) == {family.kind for family in FAMILIES}


def test_a_private_key_without_its_end_is_taken_out_to_the_end() -> None:
    assert redact("-----BEGIN PRIVATE KEY-----\nMIIE\nmore")[0] == REDACTED


@pytest.mark.parametrize(
    "text",
    [
        "password: t0p-s3cret!",
        "export API_KEY=q7Zk2mXw9",
        "client_secret => 'q7Zk2mXw9'",
        '{"access_token": "q7Zk2mXw9"}',
        "my.app.auth-key := q7Zk2mXw9",
        "password=pa$word99",
        "password=my-example-99x",
        "secret=$2b$12$abcdefghi",
    ],
)
def test_an_assignment_to_the_name_of_a_secret_is_found_however_it_is_written(text: str) -> None:
    assert [span.kind for span in find(text)] == ["assigned secret"]


@requirement("gate:redact:references")
@pytest.mark.parametrize(
    "text",
    [
        'token = os.environ["TOKEN"]',
        "token = process.env.GITHUB_TOKEN",
        "password: ${DB_PASSWORD}",
        "password: $DB_PASSWORD",
        "password: {{ vault.db_password }}",
        "password: %DB_PASSWORD%",
        "password: <your password here>",
        "api_key: your_api_key_123",
        "api_key=xxxxxxxx1",
        "secret: ********",
        "token: null",
        "postgres://app:${DB_PASSWORD}@db/app",
        "postgres://app:$DB_PASSWORD@db/app",
        "postgres://app:<password>@db/app",
        "Use the bearer token-authentication-scheme",
        "Basic understanding-of-the-code helps",
        "sk-learn-pipelines-and-metrics",
        "The password field must not be empty",
        "tokens: the reciprocal_rank function",
    ],
)
def test_a_name_a_reference_or_a_placeholder_is_not_a_secret(text: str) -> None:
    assert find(text) == []


@requirement("gate:redact:never-digests")
@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "token: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "src/recollect/working/patterns.py:12-40",
        "jwt-over-session-cookies",
    ],
)
def test_hashes_uuids_paths_and_ids_are_left_alone(text: str) -> None:
    assert find(text) == []


def test_several_secrets_in_one_text_are_all_taken_out() -> None:
    text = " and ".join(text for text, _ in SECRETS.values())

    shown, _ = redact(text)

    assert not [kind for kind, (_, secret) in SECRETS.items() if secret in shown]


@given(st.lists(st.sampled_from([text for text, _ in SECRETS.values()]) | st.text(max_size=9)))
def test_redacting_twice_finds_nothing_more(parts: list[str]) -> None:
    once, _ = redact(" ".join(parts))

    assert redact(once) == (once, [])


@requirement("gate:redact:nested")
def test_the_gate_walks_into_lists_and_objects_and_names_the_field() -> None:
    text, secret = SECRETS["github token"]
    value: Json = {"a": [{"b": f"x {text}"}, 5, None, True], "c": text, "d": "plain"}

    cleaned, findings = gate(value, "content")

    assert cleaned == {"a": [{"b": f"x {REDACTED}"}, 5, None, True], "c": REDACTED, "d": "plain"}
    assert [(found.kind, found.field) for found in findings] == [
        ("github token", "content.a[0].b"),
        ("github token", "content.c"),
    ]
    assert secret not in repr(findings)


def test_the_gate_without_a_field_names_what_is_inside() -> None:
    _, findings = gate({"a": SECRETS["jwt"][0]})

    assert [found.field for found in findings] == ["a"]


@requirement("gate:redact:value-never-told")
@pytest.mark.parametrize("kind", SECRETS)
def test_a_finding_never_holds_the_value(kind: str) -> None:
    text, secret = SECRETS[kind]

    _, findings = gate([text])

    assert findings
    assert secret not in repr(findings)


@given(VALUES)
def test_a_value_without_a_secret_passes_unchanged(value: Json) -> None:
    assert gate(value) == (value, [])


@requirement("gate:redact:linear")
@pytest.mark.parametrize(
    "unit",
    [
        *("a.", "a-", "x", "\n", "password.", "password ", "token:", "key=", "bearer ", "://a:"),
        *("eyJ-", "eyJaaaaaaaa.", "sk-", "AKIA", "SG.aaaaaaaaaaaaaaaaaa-"),
        *("-----BEGIN ", "-----BEGIN A PRIVATE KEY"),
    ],
)
def test_no_text_makes_the_gate_slow(unit: str) -> None:
    """A fraction of a second for all of it; a pattern that looks back and forth would take an hour."""
    text = unit * (300_000 // len(unit))
    start = time.process_time()

    find(text)

    assert time.process_time() - start < 10
