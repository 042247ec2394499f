"""The meta-tool `code`: Python that calls tools, in the sandbox."""

import mcp_types as types

from recollect.gateway.tool import UpstreamTool
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Count, Field, Object, Text
from recollect.server.meta_tool import MetaCall, MetaTool
from recollect.team.roles import Permission
from recollect.views.code import code_output, code_text, code_workflow

_WAIT, _MOST_WAIT = 60, 600  # seconds
_ITSELF = UpstreamTool("recollect", "code")  # whose large replies are stored


async def run_code(call: MetaCall) -> types.CallToolResult:
    """Run code as a run of its own; `control` goes on with one that waits."""
    arguments = call.arguments
    runs = await call.runs()
    document = code_workflow(
        arguments["code"], arguments.get("variables") or {}, arguments.get("intent") or ""
    )
    live = await runs.start(document, call.caller.client, session=call.caller.session)
    seconds = arguments.get("wait")
    wait = _WAIT if seconds is None else min(seconds, _MOST_WAIT)
    output = code_output(live.run, await runs.wait(live, wait, call.caller))
    result = types.CallToolResult(
        content=[types.TextContent(text=safe_text(code_text(output)))],
        structured_content=safe_values(output),
        is_error=output["status"] == "failed",
    )
    return await call.dispatcher.delivered(_ITSELF, result)


CODE_TOOL = MetaTool(
    "code",
    "Run Python that calls tools: the tool git:log is `await git_log(name=value)`; "
    "asyncio.gather runs several at the same time. The last expression is the result. It has no files, "
    "network, classes with parents or generators.",
    (
        Field("code", Text(min_length=1), "Python, checked against the tools' schemas", required=True),
        Field("variables", Object(()), "values that it starts with"),
        Field("intent", Text(), "what it is for"),
        Field("wait", Count(), f"seconds until it answers anyway; default {_WAIT}"),
    ),
    reads=False,
    permission=Permission.CALL_TOOLS,
    handler=run_code,
)
