"""What clients that others wrote are tried with: the servers, and which protocol era on which side."""

import os
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tests.e2e.published_servers import entries
from tests.server.running import NEW, OLD
from tests.upstreams.servers import NEWER_ONLY, entry

from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.paths import data_folder

# The everything server knows the older protocol alone, the other one refuses it.
UPSTREAM_ERAS = {"everything": OLD, "newer": NEW}
EXPOSURES = ("meta", "proxy")
# Every tool of the everything server but `get-env`: an environment is never the same twice.
EVERYTHING: dict[str, dict[str, Any]] = {
    "echo": {"message": "hello"},
    "get-annotated-message": {"messageType": "success", "includeImage": True},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "get-roots-list": {},
    "get-structured-content": {"location": "Chicago"},
    "get-sum": {"a": 1, "b": 2},
    "get-tiny-image": {},
    "gzip-file-as-resource": {"name": "a.gz", "data": "data:text/plain;base64,aGk="},
    "simulate-research-query": {"topic": "x"},
    "toggle-simulated-logging": {},
    "toggle-subscriber-updates": {},
    "trigger-elicitation-request": {},
    "trigger-long-running-operation": {"duration": 0.2, "steps": 2},
    "trigger-sampling-request": {"prompt": "x", "maxTokens": 5},
    "trigger-url-elicitation": {"url": "https://example.com"},
}
NEWER: dict[str, dict[str, Any]] = {"change": {}, "confirm": {}, "work": {}}


@dataclass(frozen=True, slots=True)
class Trial:
    """One client of one era in front of the gateway, and one server of one era behind it."""

    client: str
    client_era: str
    exposure: str
    upstream: str

    def row(self) -> str:
        """Its row in the table of docs/guides/gateway.md."""
        upstream = UPSTREAM_ERAS[self.upstream]
        return f"| {self.client} | {self.client_era} | {self.exposure} | {self.upstream} | {upstream} |"


FASTMCP_TRIALS, INSPECTOR_TRIALS = (
    [Trial(client, *each) for each in product((OLD, NEW), EXPOSURES, UPSTREAM_ERAS)]
    for client in ("fastmcp's client", "MCP inspector")
)


@dataclass(frozen=True, slots=True)
class User:
    """A user's environment and project, with a gateway that knows both servers."""

    env: dict[str, str]
    folder: Path
    servers: dict[str, dict[str, Any]]

    def serve_env(self, exposure: str) -> dict[str, str]:
        return self.env | {"RECOLLECT_GATEWAY_EXPOSURE": exposure}


def user_in(home: Path) -> User:
    """A user whose home is this folder."""
    folder = home / "project"
    (folder / ".claude" / "memory").mkdir(parents=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT")}
    env["HOME"] = str(home)
    servers = {"everything": entries(folder)["everything"], "newer": entry(NEWER_ONLY)}
    gateway = Gateway(Path(data_folder(env)), env, utc_now)
    for name, server in servers.items():
        gateway.add(name, server)
        gateway.refresh(name)
    return User(env, folder, servers)
