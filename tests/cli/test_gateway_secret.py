"""`gateway secret`: values in the keyring, and servers that get them."""

import json
import sys
from pathlib import Path

import keyring
import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.keyrings import LockedKeyring, MemoryKeyring, no_keyring
from tests.requirements import requirement

from recollect.cli.exits import Exit

VALUE = "swordfish and größe"
SERVER = """
import os
from mcp.server.mcpserver import MCPServer
server = MCPServer("s")
@server.tool(name="has_" + str(os.environ.get("KEY", "").split(" ")[0][::-1] == "hsifdrows"))
def tool() -> str: return ""
server.run()
"""


def files_of(cli: Cli) -> str:
    own = Path(cli.env.get("RECOLLECT_HOME") or f"{cli.env['HOME']}/.local/share/recollect")
    return "".join(path.read_text("utf-8", "replace") for path in own.rglob("*") if path.is_file())


@requirement("gateway:secrets:keyring")
def test_a_secret_goes_from_standard_input_to_the_server_and_nowhere_else(
    bare: Cli, memory_keyring: MemoryKeyring
) -> None:
    stored = bare.ok("gateway", "secret", "set", "KEY", stdin=VALUE + "\n")
    bare.ok("gateway", "add", "s", "--env", "KEY=${keyring:KEY}", "--", sys.executable, "-c", SERVER)

    tested = bare.ok("gateway", "test", "s", "--json")
    listed = bare.ok("gateway", "secret", "list", "--json")

    assert VALUE in memory_keyring.passwords.values()
    found = bare.ok("gateway", "discover", "has_True", "--json").out
    assert "s:has_True" in found
    assert listed.json()["secrets"] == [{"name": "KEY", "is_set": True, "servers": ["s"]}]
    assert VALUE not in stored.out + tested.out + listed.out + found + files_of(bare)


@requirement("gateway:secrets:keyring")
def test_a_secret_that_is_missing_names_the_command_that_stores_it(
    bare: Cli, memory_keyring: MemoryKeyring
) -> None:
    bare.ok(
        "gateway", "add", "s", "--url", "http://127.0.0.1:9/", "--header", "X-Key=${keyring:other.key}"
    )

    done = bare("gateway", "test", "s", "--json")

    assert "`recollect gateway secret set other.key` stores it" in done.out
    assert bare.ok("gateway", "secret", "list", "--json").json()["secrets"] == [
        {"name": "other.key", "is_set": False, "servers": ["s"]}
    ]
    assert memory_keyring.passwords == {}


def test_secrets_are_replaced_listed_and_removed(bare: Cli, memory_keyring: MemoryKeyring) -> None:
    for name, value in (("B", "1"), ("A", "2"), ("B", "3")):
        bare.ok("gateway", "secret", "set", name, stdin=value)
    names = [row["name"] for row in bare.ok("gateway", "secret", "list", "--json").json()["secrets"]]
    bare.ok("gateway", "secret", "remove", "A")

    assert names == ["A", "B"]
    assert sorted(memory_keyring.passwords.values()) == ["3", '["B"]']
    assert bare("gateway", "secret", "remove", "A").exit_code == Exit.NOT_FOUND


@pytest.mark.usefixtures("memory_keyring")
@pytest.mark.parametrize(("name", "value"), [("KEY", ""), ("KEY", "\n"), ("a b", "x"), ("KEY", "a\0b")])
def test_a_value_or_name_that_cannot_be_used_is_refused(bare: Cli, name: str, value: str) -> None:
    assert bare("gateway", "secret", "set", name, stdin=value).exit_code == Exit.INVALID
    assert bare.ok("gateway", "secret", "list", "--json").json()["secrets"] == []


@requirement("gateway:secrets:keyring")
def test_without_a_keyring_it_says_what_to_do(bare: Cli, memory_keyring: MemoryKeyring) -> None:
    bare.ok("gateway", "add", "s", "--env", "KEY=${keyring:KEY}", "--", "x")
    for backend, reason in (
        (no_keyring(), "has no keyring"),
        (LockedKeyring(), "dismissed the prompt"),
    ):
        keyring.set_keyring(backend)

        stored = bare("gateway", "secret", "set", "KEY", stdin="x")
        tested = bare("gateway", "test", "s", "--json")

        assert stored.exit_code == Exit.STORE
        assert reason in stored.err
        assert "environment variable" in stored.err
        assert reason in json.dumps(tested.json())


def test_a_person_types_the_value_unseen(bare: Cli) -> None:
    backend = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    with terminal(bare, "gateway", "secret", "set", "KEY", **backend) as screen:
        screen.answer("Value of KEY: ", VALUE)
        screen.finish()

        assert "Stored" in screen.shown
        assert "swordfish" not in screen.shown
