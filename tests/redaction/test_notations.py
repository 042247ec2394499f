"""A key is found however it is written down, whoever issued it: by its name, not by a list of examples."""

import pytest
from tests.redaction.sample_keys import ALNUM, HEX, LOWER, drawn, uuid

from recollect.redaction.redact import redact

# {name} is a provider's, {NAME} the same in capitals, {key} what is written down.
CARRIERS = (
    "{NAME}_TOKEN={key}\n",
    '{NAME}_TOKEN="{key}"\n',
    "export {NAME}_API_KEY={key}",
    '{{"{name}_token": "{key}"}}',
    '{{"config.ini": "{NAME}_TOKEN={key}\\nBACKUP=true"}}',
    "{name}_token: {key}\n",
    "{name}_token: '{key}'\n",
    "config.yaml: |\n  {name}_token: {key}\n",
    "{name}.token={key}",
    'string {name}Token = "{key}";',
    'var {name}Token string = "{key}"',
    "{name}Token := `{key}`",
    'var {name}Token: String = "{key}"',
    '${name}Token = "{key}";',
    '{name}_token: str = "{key}"',
    '{NAME}_TOKEN := "{key}"',
    '{NAME}_TOKEN ::= "{key}"',
    '{NAME}_TOKEN ?= "{key}"',
    '  "{name}Token" => "{key}"',
    'const {name}Token = "{key}";',
    "<{name}Token>{key}</{name}Token>",
    'curl -H "X-{name}-Token: {key}" https://api.example.com',
    "{name}_client_secret={key}",
    "let {name}ApiKey = '{key}'",
    "{NAME}_ACCESS_KEY: {key}",
)
KEYS = {
    "datadog": drawn(40, LOWER, 301),
    "bitbucket": drawn(32, ALNUM, 302),
    "meraki": drawn(40, HEX, 303),
    "heroku": uuid(304),
    "fastly": "-" + drawn(31, ALNUM + "=_-", 305),
    "unheard_of": drawn(48, ALNUM, 306),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_key_is_taken_out_of_whatever_it_is_written_in(carrier: str) -> None:
    for name, key in KEYS.items():
        text = carrier.format(name=name, NAME=name.upper(), key=key)

        assert key not in redact(text)[0], text.replace(key, "...")


def test_what_follows_a_key_inside_a_string_is_left_alone() -> None:
    text = f'{{"config.ini": "DATADOG_TOKEN={KEYS["datadog"]}\\nBACKUP=true"}}'

    assert redact(text)[0].endswith('\\nBACKUP=true"}')
