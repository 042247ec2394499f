"""Servers as users configure them."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.errors import InvalidConfigError
from recollect.gateway.upstream import (
    HttpServer,
    StdioServer,
    Upstream,
    entry_of,
    parse_upstream,
    parse_upstreams,
    resolved,
)

ENTRIES: dict[str, dict[str, Any]] = {
    "plain": {"command": "uvx"},
    "full": {
        "command": "npx",
        "args": ["-y", "server"],
        "env": {"TOKEN": "${TOKEN}"},
        "cwd": "/srv",
        "disabled": True,
        "shared": False,
        "start_seconds": 5.0,
        "call_seconds": 2.5,
        "idle_seconds": 0.0,
        "max_calls": 4,
    },
    "web": {"type": "http", "url": "https://mcp.example.com", "headers": {"X-Key": "${KEY}"}},
    "old": {"type": "sse", "url": "http://localhost:3000/sse"},
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_read_and_written_the_same(name: str) -> None:
    assert entry_of(parse_upstream(name, ENTRIES[name], "f")) == ENTRIES[name]


def test_servers_are_read_by_name() -> None:
    servers = parse_upstreams({"mcpServers": ENTRIES}, "f")

    assert servers["plain"] == Upstream("plain", StdioServer("uvx"))
    assert servers["old"].server == HttpServer("http://localhost:3000/sse", {}, "sse")
    assert parse_upstreams({}, "f") == {}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ([], "server 'a' must be an object|'a' must be an object"),
        ({}, "`url` is None; it must be an address"),
        ({"command": ""}, "`command` is ''; it must be the program"),
        ({"command": 3}, "`command` is 3; it must be text"),
        ({"command": "x", "args": "y"}, "`args` is 'y'; it must be a list of strings"),
        ({"command": "x", "args": [1]}, "`args` is"),
        ({"command": "x", "env": {"A": 1}}, "`env` is"),
        ({"command": "x", "shared": "no"}, "`shared` is 'no'; it must be true or false"),
        ({"command": "x", "call_seconds": 0}, "`call_seconds` is 0"),
        ({"command": "x", "call_seconds": True}, "`call_seconds` is True"),
        ({"command": "x", "idle_seconds": -1}, "`idle_seconds` is -1"),
        ({"command": "x", "max_calls": 0}, "`max_calls` is 0"),
        ({"command": "x", "max_calls": 1.5}, "`max_calls` is 1.5"),
        ({"url": "file:///etc/passwd"}, "`url` is 'file:///etc/passwd'"),
        ({"type": "carrier-pigeon", "url": "http://x"}, "`type` is 'carrier-pigeon'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(entry: object, problem: str) -> None:
    with pytest.raises(InvalidConfigError, match=problem):
        parse_upstream("a", entry, "f")


@pytest.mark.parametrize("name", ["", "a b", "../up", "a/b", "-x", "a" * 65, "ä", "a:b", "a\n"])
def test_a_name_that_could_be_mistaken_is_refused(name: str) -> None:
    with pytest.raises(InvalidConfigError, match="not a valid server name"):
        parse_upstream(name, {"command": "x"}, "f")


@pytest.mark.parametrize("document", [[], {"mcpServers": []}, {"mcpServers": None}, "text", None])
def test_a_file_of_another_shape_is_refused(document: object) -> None:
    with pytest.raises(InvalidConfigError, match="`mcpServers` must be an object"):
        parse_upstreams(document, "f")


def test_variables_are_replaced_when_a_server_is_started_and_not_before() -> None:
    upstream = parse_upstream(
        "a",
        {
            "command": "${BIN:-run}",
            "args": ["--root=${env:ROOT}"],
            "env": {"A": "x${B}y"},
            "cwd": "${ROOT}",
        },
        "f",
    )

    server = resolved(upstream, {"B": "secret", "ROOT": "/srv"}).server

    assert server == StdioServer("run", ("--root=/srv",), {"A": "xsecrety"}, "/srv")
    assert "secret" not in str(entry_of(upstream))


def test_a_variable_that_is_not_set_is_named() -> None:
    upstream = parse_upstream("a", {"url": "https://x", "headers": {"K": "${MISSING}"}}, "f")

    with pytest.raises(InvalidConfigError, match="needs the environment variable 'MISSING'"):
        resolved(upstream, {})


def test_trust_and_cost_are_read_and_written_back() -> None:
    upstream = parse_upstream("a", {"command": "x", "speculate": True, "call_cost": 0}, "file")

    assert (upstream.speculate, upstream.call_cost) == (True, 0.0)
    assert parse_upstream("a", entry_of(upstream), "file") == upstream
    assert "speculate" not in entry_of(parse_upstream("a", {"command": "x"}, "file"))


@pytest.mark.parametrize("cost", [-1, "free", True, 1_001, float("nan")])
def test_a_cost_that_is_no_amount_is_refused(cost: object) -> None:
    with pytest.raises(InvalidConfigError, match="call_cost"):
        parse_upstream("a", {"command": "x", "call_cost": cost}, "file")


@requirement("workflow:plan:dependencies")
def test_tools_that_must_come_before_a_tool_are_declared_by_name() -> None:
    entry = {"command": "x", "needs": {"deploy": ["build", "git:commit"]}}
    upstream = parse_upstream("shop", entry, "file")

    assert upstream.needs == {"shop:deploy": ("shop:build", "git:commit")}
    assert parse_upstream("shop", entry_of(upstream), "file") == upstream


@pytest.mark.parametrize(
    "needs", ["build", ["build"], {"deploy": "build"}, {"deploy": [1]}, {"a": [""]}]
)
def test_a_declaration_of_what_a_tool_needs_has_a_shape(needs: object) -> None:
    with pytest.raises(InvalidConfigError, match=r"`needs` is .*; it must be an object like"):
        parse_upstream("a", {"command": "x", "needs": needs}, "file")
