"""What a caller must be allowed to do to call each tool: memory tools, meta-tools, and tools of servers."""

from recollect.server.gateway_tools import META_TOOLS
from recollect.server.memory_tools import TOOLS
from recollect.team.roles import Permission

_PERMISSIONS = {tool.name: tool.permission for tool in META_TOOLS} | {
    tool.name: tool.permission for tool in TOOLS
}


def tool_permission(name: str) -> Permission:
    """The permission that a tool needs. One that a server behind the gateway offers may do anything."""
    return _PERMISSIONS.get(name, Permission.CALL_TOOLS)
