"""Servers of harnesses, as JSON."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from recollect.app.server_import import HarnessServer
    from recollect.app.server_takeover import FilePlan


class HarnessServerRow(TypedDict):
    """A server that a harness has: `state` is new, same, different, invalid or unsupported."""

    name: str
    source: str
    from_project: bool
    state: str
    problem: str | None


class TakenFileRow(TypedDict):
    """A harness's file with Recollect in place of servers; `diff` has secrets removed."""

    path: str
    servers: list[str]
    diff: list[str]
    is_changed: bool


class GatewayImportOutput(TypedDict):
    """`recollect gateway import`: the servers of your harnesses, which were added, and files with changes."""

    servers: list[HarnessServerRow]
    added: list[str]
    refused: dict[str, str]
    files: list[TakenFileRow]


def harness_server_row(server: "HarnessServer") -> HarnessServerRow:
    """One server. Its program and variables may name secrets and are left out."""
    return {
        "name": server.name,
        "source": server.source,
        "from_project": server.from_project,
        "state": server.state,
        "problem": server.problem or None,
    }


def taken_file_row(plan: "FilePlan", *, is_changed: bool) -> TakenFileRow:
    """One file that a takeover changes, or would change."""
    return {
        "path": plan.path,
        "servers": [server.name for server in plan.servers],
        "diff": plan.diff(),
        "is_changed": is_changed,
    }
