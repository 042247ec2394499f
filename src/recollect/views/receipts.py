"""What tools cost and how well they work, as JSON."""

from typing import TypedDict

from recollect.gateway.receipts import ReceiptReport, ServerUse, ToolUse


class ToolReceiptRow(TypedDict):
    """The calls of one tool. `saved_tokens` is what the vault and projections spared the agent.

    `projection_saved_tokens` is what replies that showed a projection left out.
    """

    tool: str
    calls: int
    tool_errors: int
    bad_arguments: int
    server_failures: int
    argument_tokens: int
    result_tokens: int
    reply_tokens: int
    read_tokens: int
    used_tokens: int
    saved_tokens: int
    projection_saved_tokens: int
    p50_ms: float | None
    p95_ms: float | None
    reliability: float
    last_day: str


class ServerReceiptRow(TypedDict):
    """A server: `schema_tokens` is what listing its tools costs each conversation where they are listed."""

    server: str
    tools: int
    schema_tokens: int
    calls: int
    used_tokens: int
    by_tool: list[ToolReceiptRow]


class SwitchOffRow(TypedDict):
    """A server that nobody called."""

    server: str
    schema_tokens: int


class ReceiptsOutput(TypedDict):
    """`recollect gateway receipts`: servers, the most expensive first, and which to switch off."""

    since: str
    servers: list[ServerReceiptRow]
    switch_off: list[SwitchOffRow]


def receipts_output(report: ReceiptReport, since: str) -> ReceiptsOutput:
    """A report as JSON."""
    return {
        "since": since,
        "servers": [_server_row(server) for server in report.servers],
        "switch_off": [
            {"server": server.server, "schema_tokens": server.schema_tokens} for server in report.unused
        ],
    }


def _server_row(server: ServerUse) -> ServerReceiptRow:
    return {
        "server": server.server,
        "tools": server.tools,
        "schema_tokens": server.schema_tokens,
        "calls": server.calls,
        "used_tokens": server.used_tokens,
        "by_tool": [_tool_row(use) for use in server.uses],
    }


def _tool_row(use: ToolUse) -> ToolReceiptRow:
    return {
        "tool": use.tool,
        "calls": use.calls,
        "tool_errors": use.outcomes.get("tool_error", 0),
        "bad_arguments": use.outcomes.get("bad_arguments", 0),
        "server_failures": use.outcomes.get("server_failure", 0),
        "argument_tokens": use.argument_tokens,
        "result_tokens": use.result_tokens,
        "reply_tokens": use.reply_tokens,
        "read_tokens": use.read_tokens,
        "used_tokens": use.used_tokens,
        "saved_tokens": use.saved_tokens,
        "projection_saved_tokens": use.projection_saved_tokens,
        "p50_ms": _rounded(use.percentile(0.50)),
        "p95_ms": _rounded(use.percentile(0.95)),
        "reliability": round(use.reliability, 4),
        "last_day": use.last_day,
    }


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)
