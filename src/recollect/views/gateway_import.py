"""Servers of harnesses, as JSON."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from recollect.app.server_import import HarnessServer


class HarnessServerRow(TypedDict):
    """A server that a harness has: `state` is new, same, different (from the gateway's) or invalid."""

    name: str
    source: str
    from_project: bool
    state: str
    problem: str | None


class GatewayImportOutput(TypedDict):
    """`recollect gateway import`: the servers of your harnesses, and which were added."""

    servers: list[HarnessServerRow]
    added: list[str]
    refused: dict[str, str]


def harness_server_row(server: "HarnessServer") -> HarnessServerRow:
    """One server. Its program and variables may name secrets and are left out."""
    return {
        "name": server.name,
        "source": server.source,
        "from_project": server.from_project,
        "state": server.state,
        "problem": server.problem or None,
    }
