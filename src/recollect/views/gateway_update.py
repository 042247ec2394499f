"""Updates of servers, as JSON."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from recollect.app.gateway_update import ServerUpdate


class UpdateRow(TypedDict):
    """A server: its package, the version it had and gets, and changed tools; `error` is null without one."""

    server: str
    package: str
    old_version: str
    new_version: str
    held_back: str
    schema_changed: bool
    blocked: list[str]
    changes: dict[str, list[str]]
    error: str | None


class GatewayUpdateOutput(TypedDict):
    """`recollect gateway update`: each server, and the lock file, which a dry run does not write."""

    dry_run: bool
    lock_file: str
    servers: list[UpdateRow]


def update_row(update: "ServerUpdate") -> UpdateRow:
    """One server of an update."""
    return {
        "server": update.server,
        "package": update.package,
        "old_version": update.old_version,
        "new_version": update.new_version,
        "held_back": update.held_back,
        "schema_changed": update.schema_changed,
        "blocked": [tool.id for tool in update.blocked],
        "changes": {tool.id: tool.differences for tool in update.blocked},
        "error": update.error or None,
    }
