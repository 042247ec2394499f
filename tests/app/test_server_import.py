"""Servers are read from the files of harnesses, and added only when the user says so."""

import json
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.gateway import Gateway
from recollect.app.server_import import add_server, harness_servers
from recollect.clock import utc_now
from recollect.errors import RefusedError

FILES = {"command": "npx", "args": ["-y", "files", "/tmp"], "env": {"LEVEL": "info"}}
USUAL = json.dumps({"mcpServers": {"files": FILES, "recollect": {"command": "recollect"}}})
CODEX = '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files", "/tmp"]\nenv = {LEVEL = "info"}\n'
OPENCODE = json.dumps(
    {
        "mcp": {
            "files": {
                "type": "local",
                "command": ["npx", "-y", "files", "/tmp"],
                "environment": {"LEVEL": "info"},
            }
        }
    }
)
USER_FILES = [
    (".claude.json", USUAL),
    (".config/Claude/claude_desktop_config.json", USUAL),
    (".cursor/mcp.json", USUAL),
    (".config/Code/User/mcp.json", json.dumps({"servers": {"files": FILES}})),
    (".codex/config.toml", CODEX),
    (".gemini/settings.json", USUAL),
    (".config/opencode/opencode.json", OPENCODE),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def gateway(tmp_path: Path, home: Path) -> Gateway:
    return Gateway(tmp_path / "data", {"HOME": str(home)}, utc_now)


def put(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@requirement("gateway:upstreams:import")
@pytest.mark.parametrize(("name", "text"), USER_FILES)
def test_the_servers_of_a_harness_are_read_and_added_as_they_are(
    gateway: Gateway, home: Path, folder: Path, name: str, text: str
) -> None:
    path = put(home, name, text)

    [server] = harness_servers(gateway, folder, gateway.env)
    add_server(gateway, server)

    assert (server.name, server.state, server.from_project) == ("files", "new", False)
    assert json.loads(gateway.file.read_text())["mcpServers"] == {"files": FILES}
    assert path.read_text() == text
    assert [server.state for server in harness_servers(gateway, folder, gateway.env)] == ["same"]


def test_the_servers_of_one_project_of_claude_code_are_read_for_that_project(
    gateway: Gateway, home: Path, folder: Path
) -> None:
    projects = {str(folder): {"mcpServers": {"git": {"command": "uvx"}}}, "/other": {"mcpServers": {}}}
    put(home, ".claude.json", json.dumps({"projects": projects}))

    assert [server.name for server in harness_servers(gateway, folder, gateway.env)] == ["git"]
    assert harness_servers(gateway, folder / "x", gateway.env) == []


def test_what_a_repository_brings_is_marked_and_starts_nothing(gateway: Gateway, folder: Path) -> None:
    mark = folder / "started"
    entry = {"command": "touch", "args": [str(mark)]}
    put(folder, ".mcp.json", json.dumps({"mcpServers": {"evil": entry}}))

    [server] = harness_servers(gateway, folder, gateway.env)

    assert server.from_project
    assert gateway.upstreams() == {}
    assert not mark.exists()


def test_a_server_with_another_program_is_told_from_the_one_that_the_gateway_has(
    gateway: Gateway, home: Path, folder: Path
) -> None:
    put(home, ".cursor/mcp.json", USUAL)
    gateway.add("files", {"command": "other"})

    [server] = harness_servers(gateway, folder, gateway.env)

    assert server.state == "different"
    with pytest.raises(RefusedError, match="a server named 'files' already"):
        add_server(gateway, server)


def test_a_secret_in_a_harness_file_is_not_copied(gateway: Gateway, home: Path, folder: Path) -> None:
    entry = {"command": "x", "env": {"API_KEY": "sk-ant-api03-" + "a1B2c3D4e5" * 8}}
    put(home, ".cursor/mcp.json", json.dumps({"mcpServers": {"paid": entry}}))

    [server] = harness_servers(gateway, folder, gateway.env)
    with pytest.raises(RefusedError, match="secrets are not stored"):
        add_server(gateway, server)

    assert not gateway.file.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"mcpServers": []}', '{"mcpServers": {"a": 1, "b": {}}}']
)
def test_files_of_a_wrong_shape_have_no_servers(
    gateway: Gateway, home: Path, folder: Path, text: str
) -> None:
    for name, _ in USER_FILES:
        put(home, name, text)

    assert harness_servers(gateway, folder, gateway.env) == []


def test_an_entry_that_the_gateway_cannot_use_says_why(
    gateway: Gateway, home: Path, folder: Path
) -> None:
    put(home, ".cursor/mcp.json", json.dumps({"mcpServers": {"a": {"command": 3}}}))

    [server] = harness_servers(gateway, folder, gateway.env)

    assert server.state == "invalid"
    assert "`command` is 3" in server.problem


@requirement("workflow:speculation:off")
def test_a_file_of_others_cannot_say_that_calls_may_run_ahead(gateway: Gateway, folder: Path) -> None:
    entry = FILES | {"speculate": True, "call_cost": 0}
    put(folder, ".mcp.json", json.dumps({"mcpServers": {"files": entry}}))

    [server] = harness_servers(gateway, folder, gateway.env)

    with pytest.raises(RefusedError, match="speculate"):
        add_server(gateway, server)
