"""`pin` and `unpin`, and the question whether a pinned memory is still true."""

import json

from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement

from recollect.views.saves import SaveOutput

ID = "sign-a-jwt-at-login"


@requirement("cli:pin:always")
def test_a_pin_is_stored_in_the_memory_and_taken_away_again(cli: Cli) -> None:
    cli.save("Sign a JWT at login")

    pinned = cli.ok("pin", ID, "--json").json()

    assert mismatches(pinned, SaveOutput) == []
    assert "pinned_at" in cli.memory(ID)
    assert cli.ok("pin", ID).out.startswith(f"Pinned {ID}")
    assert cli.memory(ID)["schema_version"] == "1.1"
    assert mismatches(cli.ok("unpin", ID, "--json").json(), SaveOutput) == []
    assert "pinned_at" not in cli.memory(ID)
    assert cli.memory(ID)["schema_version"] == "1.0"
    assert cli.ok("unpin", ID, "--json").json()["action"] == "unchanged"


@requirement("cli:pin:still-true")
def test_pins_that_nobody_confirmed_for_long_are_questioned_the_oldest_first(cli: Cli) -> None:
    cli.put(id="first", title="First", pinned_at="2020-01-01T00:00:00Z")
    cli.put(id="second", title="Second", pinned_at="2021-01-01T00:00:00Z")
    cli.save("Sign a JWT at login", "--allow-duplicate")
    cli.ok("pin", ID)

    items = cli.ok("review", "--kind", "pin", "--json").json()["items"]

    assert [item["id"] for item in items] == ["first", "second"]
    cli.ok("review", "keep", "first")
    cli.ok("review", "drop", "second")
    assert cli.ok("review", "--kind", "pin", "--json").json()["items"] == []
    assert cli.memory("first")["pinned_at"] > "2021"
    assert "pinned_at" not in cli.memory("second")
    cli.ok("review", "undo")
    assert cli.memory("second")["pinned_at"] == "2021-01-01T00:00:00Z"


def test_no_pin_is_questioned_when_the_setting_says_never(cli: Cli) -> None:
    cli.put(id="first", title="First", pinned_at="2020-01-01T00:00:00Z")
    config = cli.root / "memory-config.json"
    config.write_text(json.dumps({"retrieval": {"pinned_days": 0}}))

    assert cli.ok("review", "--kind", "pin", "--json").json()["items"] == []


def test_the_users_own_memory_is_pinned_from_any_folder(bare: Cli) -> None:
    bare.ok("remember", "--user", "--yes", "Please answer in German")

    assert bare.ok("pin", "--user", "answer-in-german", "--json").json()["action"] == "updated"
