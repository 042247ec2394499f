"""Packages on command lines, and which release of them to take."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidError
from recollect.gateway.lock_file import LockEntry, lock_text, parse_lock, schema_digest
from recollect.gateway.package import package_of, pinned_to
from recollect.gateway.release import Release, ReleaseChoice, choose
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import HttpServer, StdioServer

NOW = datetime(2026, 6, 1, tzinfo=UTC)
COMMANDS = [
    (
        "npx -y @scope/server@1.2.3 /home",
        "npm",
        "@scope/server",
        "1.2.3",
        "npx -y @scope/server@9.9.9 /home",
    ),
    ("npx @scope/server", "npm", "@scope/server", "", "npx @scope/server@9.9.9"),
    ("npx -y server@latest x", "npm", "server", "", "npx -y server@9.9.9 x"),
    ("npx -y server@^1.0.0", "npm", "server", "", "npx -y server@9.9.9"),
    ("npx --package=server@1.0.0 run", "npm", "server", "1.0.0", "npx --package=server@9.9.9 run"),
    ("npx -p server -- run it", "npm", "server", "", "npx -p server@9.9.9 -- run it"),
    ("/usr/bin/npx.cmd -y server", "npm", "server", "", "/usr/bin/npx.cmd -y server@9.9.9"),
    ("npm exec -- server@1.0.0", "npm", "server", "1.0.0", "npm exec -- server@9.9.9"),
    ("pnpm dlx server", "npm", "server", "", "pnpm dlx server@9.9.9"),
    ("uvx mcp-server-time", "pypi", "mcp-server-time", "", "uvx mcp-server-time==9.9.9"),
    ("uvx mcp_server==2.0 --utc", "pypi", "mcp_server", "2.0", "uvx mcp_server==9.9.9 --utc"),
    ("uvx server@2.0", "pypi", "server", "2.0", "uvx server==9.9.9"),
    ("uvx --python 3.11 server", "pypi", "server", "", "uvx --python 3.11 server==9.9.9"),
    ("uvx --from server[cli]==1.0 run", "pypi", "server", "1.0", "uvx --from server[cli]==9.9.9 run"),
    ("uv tool run server", "pypi", "server", "", "uv tool run server==9.9.9"),
    ("pipx run --spec server==1 run", "pypi", "server", "1", "pipx run --spec server==9.9.9 run"),
]


def server(line: str) -> StdioServer:
    command, *arguments = line.split()
    return StdioServer(command, tuple(arguments))


@pytest.mark.parametrize(("line", "source", "name", "version", "pinned"), COMMANDS)
def test_a_package_is_read_from_a_command_and_its_version_put_into_it(
    line: str, source: str, name: str, version: str, pinned: str
) -> None:
    package = package_of(server(line))

    assert package is not None
    assert (package.source, package.name, package.version) == (source, name, version)
    assert pinned_to(server(line), package, "9.9.9") == server(pinned)


def test_a_python_module_is_known_by_its_name() -> None:
    package = package_of(server("/usr/bin/python3.11 -I -m mcp_server.main --utc"))

    assert package is not None
    assert (package.source, package.name) == ("module", "mcp_server")


@pytest.mark.parametrize(
    "line",
    [
        "node server.js",
        "python server.py -m x",
        "npx -y git+https://example.com/x.git",
        "npx ./local",
        "npx",
        "npx -p",
        "uvx --from git+https://example.com/x run",
        "docker run x",
    ],
)
def test_what_no_registry_knows_is_no_package(line: str) -> None:
    assert package_of(server(line)) is None


def test_an_address_is_no_package() -> None:
    assert package_of(HttpServer("https://example.com")) is None


@given(
    st.lists(st.text(max_size=12), max_size=6), st.sampled_from(["npx", "uvx", "npm", "uv", "python"])
)
def test_no_command_line_is_an_error(arguments: list[str], program: str) -> None:
    command = StdioServer(program, tuple(arguments))
    package = package_of(command)

    assert package is None or pinned_to(command, package, "1.0.0").arguments != ()


def release(version: str, days: int | None) -> Release:
    return Release(version, None if days is None else NOW - timedelta(days=days))


OLD, RIPE, YOUNG = release("1.0.0", 100), release("1.1.0", 8), release("1.2.0", 2)


def test_the_newest_release_that_is_old_enough_is_taken_and_a_younger_one_waits() -> None:
    assert choose([YOUNG, OLD, RIPE], "", 7, NOW) == ReleaseChoice(RIPE, YOUNG)
    assert choose([YOUNG, OLD, RIPE], "1.0.0", 7, NOW) == ReleaseChoice(RIPE, YOUNG)
    assert choose([YOUNG, OLD, RIPE], "", 0, NOW) == ReleaseChoice(YOUNG)


def test_an_update_never_goes_back() -> None:
    assert choose([OLD, RIPE, YOUNG], "1.2.0", 7, NOW) == ReleaseChoice(YOUNG)
    assert choose([RIPE, YOUNG], "1.2.0", 30, NOW) == ReleaseChoice(YOUNG)


def test_a_release_of_unknown_age_or_before_its_time_is_not_taken() -> None:
    pre = [release("2.0.0-beta.1", 50), release("2.0.0rc1", 50), release("2.0.0", None)]

    assert choose([OLD, *pre], "", 7, NOW) == ReleaseChoice(OLD)
    assert choose(pre, "", 7, NOW) == ReleaseChoice(None)
    assert choose([], "1.0.0", 7, NOW) == ReleaseChoice(None)


def test_a_lock_file_is_read_back_and_names_are_sorted() -> None:
    entries = {"b": LockEntry("npm", "p", "1", "sha512-x", schema="sha256:y"), "a": LockEntry()}

    text = lock_text(entries)

    assert parse_lock(text, "f") == entries
    assert text.index('"a"') < text.index('"b"')
    assert text == lock_text(dict(reversed(entries.items())))


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"version": 2, "servers": {}}', '{"version": 1, "servers": {"a": {"version": 1}}}'],
)
def test_a_damaged_lock_file_is_named(text: str) -> None:
    with pytest.raises(InvalidError, match=r"gateway\.lock"):
        parse_lock(text, "gateway.lock")


def test_the_digest_of_tools_does_not_depend_on_their_order() -> None:
    one, two = UpstreamTool("s", "a", "A."), UpstreamTool("s", "b")

    assert schema_digest([one, two]) == schema_digest([two, one])
    assert schema_digest([one]) != schema_digest([UpstreamTool("s", "a", "B.")])
