"""`gateway update` against registries on loopback, and servers that change with their version."""

import json
import shutil
import stat
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement
from tests.upstreams.servers import plain_server

SERVER = plain_server(
    '[{"name": "read", "description": sys.argv[1], "inputSchema": {"type": "object"}}]',
    'if "1.9" in sys.argv[1]: sys.exit("broken release")',
)


NOW = datetime.now(UTC)


def days_ago(days: int) -> str:
    return (NOW - timedelta(days=days)).isoformat()


class Registry:
    """An index for pip and a registry for npm, with the releases of one package."""

    def __init__(self) -> None:
        self.releases: dict[str, int] = {}
        registry = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_pip = self.path.startswith("/simple/")
                body = json.dumps(registry.simple() if is_pip else registry.npm()).encode()
                if self.path.startswith("/html/"):
                    body = registry.html().encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def simple(self) -> dict[str, Any]:
        files = [
            {
                "filename": f"pkg-{version}-py3-none-any.whl",
                "hashes": {"sha256": f"hash of {version}"},
                "upload-time": days_ago(days),
            }
            for version, days in self.releases.items()
        ]
        return {"files": files, "name": "pkg", "meta": {"api-version": "1.1"}}

    def html(self) -> str:
        names = [f"pkg-{version}.tar.gz" for version in self.releases]
        return "\n".join(f'<a href="/{name}#sha256={"0" * 64}">{name}</a><br/>' for name in names)

    def npm(self) -> dict[str, Any]:
        versions = {
            version: {"name": "pkg", "version": version, "dist": {"integrity": f"sha512-{version}"}}
            for version in self.releases
        }
        times = {version: days_ago(days) for version, days in self.releases.items()}
        return {
            "name": "pkg",
            "dist-tags": {"latest": max(versions)},
            "versions": versions,
            "time": times,
        }


@pytest.fixture
def registry() -> Iterator[Registry]:
    registry = Registry()
    thread = threading.Thread(target=registry.server.serve_forever)
    thread.start()
    yield registry
    registry.server.shutdown()
    registry.server.server_close()
    thread.join()


@pytest.fixture
def uvx(cli: Cli, registry: Registry, tmp_path: Path) -> str:
    """A program of that name that runs our server instead of a package."""
    script = tmp_path / "uvx"
    (tmp_path / "server.py").write_text(SERVER)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path}/server.py" "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    cli.env["PIP_INDEX_URL"] = f"{registry.url}/simple"
    return str(script)


def update(cli: Cli, *more: str, code: int = 0) -> dict[str, Any]:
    run = cli("gateway", "update", *more, "--json")
    assert run.exit_code == code, run
    row: dict[str, Any] = run.json()["servers"][0]
    return row


def locked(cli: Cli) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads((cli.folder / "gateway.lock").read_text())["servers"]
    return servers


@requirement("gateway:catalogue:lock")
def test_a_package_is_updated_locked_and_its_changed_tools_are_blocked(
    cli: Cli, uvx: str, registry: Registry
) -> None:
    registry.releases = {"1.0": 100, "1.1": 8, "1.2": 2}
    cli.ok("gateway", "add", "files", "--", uvx, "pkg==1.0")
    cli.ok("gateway", "test")

    dry = update(cli, "--dry-run")
    assert (dry["old_version"], dry["new_version"], dry["held_back"]) == ("1.0", "1.1", "1.2")
    assert not (cli.folder / "gateway.lock").exists()

    done = update(cli)
    assert done["blocked"] == ["files:read"]
    assert "description: + pkg==1.1" in done["changes"]["files:read"]
    entry = locked(cli)["files"]
    assert entry["version"] == "1.1"
    assert entry["integrity"] == "sha256:hash of 1.1"
    assert "127.0.0.1" not in (cli.folder / "gateway.lock").read_text()

    cli.ok("gateway", "review", "files", "--accept")
    again = update(cli)
    assert again["schema_changed"]
    assert locked(cli)["files"]["schema"] != entry["schema"]
    before = (cli.folder / "gateway.lock").read_bytes()
    assert not update(cli)["schema_changed"]
    assert (cli.folder / "gateway.lock").read_bytes() == before


def test_an_index_that_does_not_say_when_files_were_published_moves_nothing(
    cli: Cli, uvx: str, registry: Registry
) -> None:
    registry.releases = {"1.0": 100, "1.1": 50}
    cli.env["PIP_INDEX_URL"] = f"{registry.url}/html"
    cli.ok("gateway", "add", "files", "--", uvx, "pkg==1.0")

    assert update(cli)["new_version"] == "1.0"
    assert locked(cli)["files"]["integrity"] == f"sha256:{'0' * 64}"


def test_without_a_registry_nothing_is_lost(cli: Cli, uvx: str, registry: Registry) -> None:
    registry.releases = {"1.0": 100}
    cli.ok("gateway", "add", "files", "--", uvx, "pkg==1.0")
    update(cli)
    before = (cli.folder / "gateway.lock").read_bytes()
    cli.env["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple"

    failed = update(cli, code=10)

    assert "nothing was changed" in failed["error"]
    assert (cli.folder / "gateway.lock").read_bytes() == before


def test_a_version_that_does_not_start_is_taken_back(cli: Cli, uvx: str, registry: Registry) -> None:
    registry.releases = {"1.0": 100, "1.9": 50}
    cli.ok("gateway", "add", "files", "--", uvx, "pkg==1.0")

    assert "cannot be reached" in update(cli, code=10)["error"]

    file = Path(cli.ok("gateway", "list", "--json").json()["file"])
    assert json.loads(file.read_text())["mcpServers"]["files"]["args"] == ["pkg==1.0"]


def test_a_lock_file_of_a_project_accepts_nothing(cli: Cli, uvx: str, registry: Registry) -> None:
    registry.releases = {"1.0": 100, "1.1": 50}
    cli.ok("gateway", "add", "files", "--", uvx, "pkg==1.0")
    cli.ok("gateway", "test")
    lock = {"version": 1, "servers": {"files": {"version": "1.1", "schema": "sha256:anything"}}}
    (cli.folder / "gateway.lock").write_text(json.dumps(lock))

    assert update(cli)["blocked"] == ["files:read"]


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_npm_is_asked_for_its_own_registry(cli: Cli, registry: Registry, tmp_path: Path) -> None:
    registry.releases = {"1.0.0": 100, "1.1.0": 8, "1.2.0": 2}
    cli.env["npm_config_registry"] = f"{registry.url}/"
    cli.env["npm_config_cache"] = str(tmp_path / "npm")
    cli.ok("gateway", "add", "files", "--", "npx", "-y", "pkg")

    row = update(cli, "--dry-run")

    assert (row["package"], row["new_version"], row["held_back"]) == ("npm pkg", "1.1.0", "1.2.0")


def test_an_installed_module_is_recorded_and_a_server_without_package_too(cli: Cli) -> None:
    cli.ok("gateway", "add", "time", "--", sys.executable, "-m", "mcp_server_time")

    assert update(cli)["package"] == "module mcp_server_time"

    entry = locked(cli)["time"]
    assert entry["version"]
    assert entry["schema"].startswith("sha256:")
