"""Secrets known by the name they are given to, in every way that names are given values."""

import base64

import pytest
from tests.redaction.sample_keys import ALNUM, HEX, LOWER, drawn, uuid
from tests.requirements import requirement

from recollect.redaction.redact import REDACTED, find, redact

VALUES = {
    "hex": drawn(32, HEX),
    "long hex": drawn(64, HEX),
    "letters and digits": drawn(24),
    "lower case": drawn(20, LOWER),
    "uuid": uuid(),
    "base64": base64.b64encode(drawn(30).encode()).decode(),
    "password": drawn(14, ALNUM + "!#%^*+-_?"),
}
WAYS = [
    'ACME_API_TOKEN="{s}"',
    "export ACME_API_TOKEN={s}",
    "acme_secret: {s}",
    "acme_secret: '{s}'",
    "acme_secret: |\n  {s}",
    '{{"acmeAccessToken": "{s}", "other": 1}}',
    '{{\\"token\\": \\"{s}\\"}}',
    '{{"name": "ACME_TOKEN", "value": "{s}"}}',
    "client_secret => '{s}'",
    "client_secret := `{s}`",
    'var acmeToken string = "{s}"',
    'acme_token: str = "{s}"',
    'const ACME_SECRET_KEY = "{s}";',
    "$acmeToken .= '{s}';",
    "[default]\naws_secret_access_key = {s}",
    'os.environ["ACME_TOKEN"] = "{s}"',
    'System.setProperty("acme.token", "{s}")',
    "<clientSecret>{s}</clientSecret>",
    "<key>apiKey</key>\n<string>{s}</string>",
    '<add key="ClearTextPassword" value="{s}" />',
    "deploy --api-key {s} --verbose",
    "deploy --api-key={s} --verbose",
    "https://api.acme.io/v1/items?access_token={s}&page=2",
    "Server=db;User Id=app;Password={s};Encrypt=true",
    "X-Api-Key: {s}",
    "Authorization: Bearer {s}",
    "curl -H 'Authorization: Acme-Token {s}' https://acme.io",
    "ENV ACME_TOKEN {s}",
    "machine acme.io login app password {s}",
    "the password is {s}",
    "| ACME_TOKEN | {s} |",
]


@requirement("redaction:assignments:ways")
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("way", WAYS)
def test_a_value_given_to_the_name_of_a_secret_is_taken_out_and_nothing_else(
    way: str, value: str
) -> None:
    text = way.format(s=VALUES[value])

    shown, _ = redact(text)

    assert shown == text.replace(VALUES[value], REDACTED)


@pytest.mark.parametrize(
    "text",
    [
        "password: t0p-s3cret!",
        'password = "swordfish"',
        "secret=$2b$12$" + drawn(53),
        "postgres://app:hunter2@db/app",
        "redis://:hunter2@cache:6379/0",
        "curl -u app:hunter2 https://acme.io",
        "curl --user app:'hunter2two' https://acme.io",
        "mysql -u root -pHunter2two app",
        "ALTER USER app IDENTIFIED BY 'hunter2';",
        "Authorization: Basic " + base64.b64encode(b"app:hunter2").decode(),
        "https://" + drawn(32, HEX) + "@o1.ingest.sentry.io/1",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + drawn(86) + "==;",
    ],
)
def test_passwords_are_found_where_commands_and_addresses_hold_them(text: str) -> None:
    assert find(text)


@requirement("gate:redact:references")
@pytest.mark.parametrize(
    "text",
    [
        'token = os.environ["TOKEN"]',
        "token = process.env.GITHUB_TOKEN",
        'api_key = config.get("api_key")',
        "const token = await getToken(user1);",
        "password: ${DB_PASSWORD}",
        "password: $DB_PASSWORD",
        "password: {{ vault.db_password }}",
        "password: %DB_PASSWORD%",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "secret: !Ref DatabaseSecret1",
        "secret: op://vault/item/field1",
        "secret_arn = arn:aws:secretsmanager:eu-west-1:123456789012:secret:db",
        "token_file: /run/secrets/token1",
        "password: <your password here>",
        "api_key: your_api_key_123",
        "api_key=xxxxxxxx1",
        "secret: ********",
        "token: null",
        "max_tokens = 4096",
        "token_count: 1234567890123456",
        "password_min_length = 12345678",
        "def __init__(self, token: str, secret_key: bytes) -> None:",
        "primary_key = user_id_2",
        "cache_key = f'{user}:{page1}'",
        "keyboard = Keyboard2()",
        "tokens: the reciprocal_rank function",
        "postgres://app:${DB_PASSWORD}@db/app",
        "postgres://app:<password>@db/app",
        "curl -u user:password https://acme.io",
        "curl -u $USER:$PASS https://acme.io",
        "Use the bearer token-authentication-scheme",
        "Basic understanding-of-the-code helps",
        "sk-learn-pipelines-and-metrics",
        "The password field must not be empty",
        "tool_use_id: toolu_" + drawn(24),
        "session: ses_" + drawn(26),
        "csrf_token = " + drawn(40),
    ],
)
def test_a_name_a_reference_or_a_placeholder_is_not_a_secret(text: str) -> None:
    assert find(text) == []
