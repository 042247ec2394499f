"""Credentials of tools on a team's shared server and on a member's own machine, with one database."""

import os
import sys
from pathlib import Path

import pytest
from tests.e2e.test_team_server import Running, call, running
from tests.postgres import Server
from tests.requirements import requirement
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway, open_gateway

__all__ = ["running"]
SECRET = "annas-own-secret"
WHOAMI = """
import os

@tool(read_only=True)
def whoami() -> str:
    "Say whose token it is."
    return "signed in with " + os.environ["ISSUES_TOKEN"]

@tool(read_only=True)
def variables() -> str:
    "List the variables."
    return " ".join(sorted(os.environ))
"""


@pytest.fixture
def gateway(tmp_path: Path, postgres_server: Server) -> Gateway:
    """The servers of Anna's own machine, where her token is; asked for before the shared server starts."""
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin",
        "RECOLLECT_DATABASE": postgres_server.url("tests"),
        "ISSUES_TOKEN": SECRET,
    }
    gateway = open_gateway(env)
    gateway.add("issues", light_entry(WHOAMI) | {"env": {"ISSUES_TOKEN": "${ISSUES_TOKEN}"}})
    gateway.add("plain", light_entry(WHOAMI))
    for name in ("issues", "plain"):
        gateway.refresh(name)
    return gateway


@requirement("team:credentials:nobodys")
def test_a_shared_server_refuses_a_tool_that_needs_credentials_and_says_where_it_works(
    gateway: Gateway, running: Running
) -> None:
    refused = call(running, running.agent, "call", tool="issues:whoami", arguments={})
    plain = call(running, running.agent, "call", tool="plain:variables", arguments={})

    assert "has none of its own; run `recollect serve` on your own machine" in refused.text
    assert SECRET not in refused.text
    assert "HOME" in plain.text, plain.text
    assert "ISSUES_TOKEN" not in plain.text
    assert "RECOLLECT_DATABASE" not in plain.text
    assert SECRET in repr(gateway.started(gateway.upstream("issues")).server)
