"""Small real servers for tests, each a script that a Python process runs over standard input and output."""

import sys
from pathlib import Path
from typing import Any

# Tools that add, delete, fail, count and wait.
CALCULATOR = """
@tool(read_only=True)
def add(a: int, b: int) -> int:
    "Add two whole numbers."
    return a + b

@tool
def delete_file(path: str) -> str:
    "Delete a file from the disk."
    return f"deleted {path}"

@tool
def fail() -> str:
    "Always fails."
    raise ValueError("no luck")

@tool
def count(steps: int = 3) -> str:
    "Count slowly and report each step."
    return "counted"

@tool
def wait(mark: str) -> str:
    "Wait until cancelled, and leave a mark then."
    if cancelled(600):
        open(mark, "w").close()
    return "waited"
"""

# Tools that add, fail, ask the client in every way, and report progress.
TALKATIVE = """
import anyio, os
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import SamplingMessage, TextContent, ToolAnnotations
from pydantic import BaseModel

server = MCPServer("talkative")

class Colour(BaseModel):
    colour: str

@server.tool(description="Add two whole numbers.", annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    return a + b

@server.tool(description="Delete a file from the disk.")
def delete_file(path: str) -> str:
    return f"deleted {path}"

@server.tool(description="Always fails.")
def fail() -> str:
    raise ToolError("no luck")

@server.tool(description="The folder in which the server runs.")
def where() -> str:
    return os.getcwd()

@server.tool(description="The number of the server's process.")
def process() -> str:
    return str(os.getpid())

@server.tool(description="Ask the person for a colour.")
async def ask_colour(context: Context) -> str:
    answer = await context.elicit("Which colour?", Colour)
    return f"{answer.action} {answer.data.colour if answer.action == 'accept' else ''}".strip()

@server.tool(description="Ask the model for a word.")
async def ask_model(context: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(text="Say a word."))
    answer = await context.session.create_message([message], max_tokens=10)
    return answer.content.text

@server.tool(description="Which folders the client works in.")
async def ask_roots(context: Context) -> str:
    return ", ".join(str(root.uri) for root in (await context.session.list_roots()).roots)

@server.tool(description="Count slowly and report each step.")
async def count(context: Context, steps: int = 3) -> str:
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
    return "counted"

@server.tool(description="Wait until cancelled, and leave a mark then.")
async def wait(context: Context, mark: str) -> str:
    await context.report_progress(1)
    try:
        await anyio.sleep(600)
    except anyio.get_cancelled_exc_class():
        open(mark, "w").close()
        raise
    return "waited"

server.run("stdio")
"""

# Resources, a template and a prompt whose argument can be completed.
LIBRARY = """
import sys
from mcp.server.mcpserver import MCPServer
from mcp_types import Completion

server = MCPServer("library")
shelf = sys.argv[1]

@server.resource("shelf://list", name="list", description="The books on the shelf.")
def books() -> str:
    return f"books of {shelf}"

@server.resource(f"{shelf}://only", name="only")
def only() -> str:
    return f"only in {shelf}"

@server.resource(f"{shelf}://books/{{title}}", name="book")
def book(title: str) -> str:
    return f"{title} of {shelf}"

@server.prompt(description="Review a book.")
def review(title: str) -> str:
    return f"Review {title} of {shelf}."

@server.completion()
async def complete(ref, argument, context):
    return Completion(values=[f"{argument.value}{end}" for end in ("ine", "use")])

server.run("stdio")
"""

# Speaks the newer protocol alone: asks in the result of a call, and refuses the older handshake.
NEWER_ONLY = """
import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

server = MCPServer("newer")

@server.tool(description="Ask the person whether to go on.")
async def confirm(context: Context) -> types.CallToolResult | types.InputRequiredResult:
    if context.input_responses is None:
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        params = types.ElicitRequestFormParams(message="Sure?", requested_schema=schema)
        return types.InputRequiredResult(input_requests={"sure": types.ElicitRequest(params=params)})
    answer = context.input_responses["sure"]
    return types.CallToolResult(content=[types.TextContent(text=f"{answer.action} {answer.content}")])

@server.tool(description="Say that the tools have changed.")
async def change(context: Context) -> str:
    await context.notify_tools_changed()
    return "changed"

@server.tool(description="Work in two steps and report each.")
async def work(context: Context) -> str:
    for step in (1, 2):
        await context.report_progress(step, 2, f"step {step}")
    return "done"

@server.tool(description="Wait until cancelled, and leave a mark then.")
async def wait(context: Context, mark: str) -> str:
    await context.report_progress(1)
    try:
        await anyio.sleep(600)
    except anyio.get_cancelled_exc_class():
        open(mark, "w").close()
        raise
    return "waited"

@server.resource("newer://notes/{name}", name="note")
def note(name: str) -> str:
    return f"note {name}"

@server.prompt(description="Review a change.")
def review(change: str) -> str:
    return f"Review {change}."

async def main():
    async with stdio_server() as (incoming, outgoing):
        to_server, filtered = anyio.create_memory_object_stream(0)

        async def refuse_handshake():
            async with to_server:
                async for message in incoming:
                    request = getattr(message, "message", None)
                    if getattr(request, "method", "") == "initialize":
                        refusal = types.ErrorData(code=-32022, message="too old",
                            data={"supported": ["2026-07-28"], "requested": "2025-11-25"})
                        error = types.JSONRPCError(jsonrpc="2.0", id=request.id, error=refusal)
                        await outgoing.send(SessionMessage(error))
                    else:
                        await to_server.send(message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(refuse_handshake)
            inner = server._lowlevel_server
            await inner.run(filtered, outgoing, inner.create_initialization_options())

anyio.run(main)
"""

# Without the SDK, so that it starts at once. A call is answered with what its argument says.
_PLAIN = """
import json, sys
{start}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {{"jsonrpc": "2.0", "id": request["id"]}}
    if request["method"] == "initialize":
        answer["result"] = {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}}}
        answer["result"]["serverInfo"] = {{"name": "x", "version": "1"}}
    elif request["method"] == "tools/list":
        answer["result"] = {{"tools": {tools}}}
    elif request["method"] == "tools/call":
        answer |= request["params"]["arguments"]["answer"]
    else:
        answer["error"] = {{"code": -32601, "message": "no"}}
    print(json.dumps(answer), flush=True)
"""


def plain_server(tools: str, start: str = "") -> str:
    """A script that lists what a Python expression gives, after it has run a statement."""
    return _PLAIN.format(tools=tools, start=start)


def light_entry(script: str, *arguments: str) -> dict[str, Any]:
    """An `mcpServers` entry that runs a script which declares tools of a light server."""
    start = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})"
    return entry(
        f"{start}\nfrom light_server import cancelled, serve, tool\n{script}\nserve()", *arguments
    )


def entry(script: str, *arguments: str, **keys: Any) -> dict[str, Any]:
    """An `mcpServers` entry that runs a script."""
    return {"command": sys.executable, "args": ["-c", script, *arguments], **keys}


# Writes every call into a file. Some tools read, some lie about it, some do not say.
COUNTING = """
import json, os, sys
import anyio
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("counting")
log, gate = sys.argv[1], sys.argv[1] + ".gate"
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

def note(name, **arguments):
    with open(log, "a") as file:
        file.write(json.dumps([name, arguments]) + chr(10))

@server.tool(description="Search for an issue.", annotations=READS)
def search(text: str) -> dict[str, str]:
    note("search", text=text)
    return {"id": "id of " + text}

@server.tool(description="Read an issue by its id.", annotations=READS)
def read(issue: str) -> str:
    note("read", issue=issue)
    return "issue " + issue

@server.tool(description="The state of the world.", annotations=READS)
def state() -> str:
    note("state")
    return "fine"

@server.tool(description="A long report about the state of the world.", annotations=READS)
def report() -> str:
    note("report")
    return "\\n".join(f"line {number} of a long report" for number in range(3_000))

@server.tool(description="Wait until a file appears.", annotations=READS)
async def wait() -> str:
    note("wait")
    try:
        while not os.path.exists(gate):
            await anyio.sleep(0.01)
    except anyio.get_cancelled_exc_class():
        note("cancelled")
        raise
    return "waited"

@server.tool(description="Another thing.", annotations=READS)
def other() -> str:
    note("other")
    return "other"

@server.tool(description="Yet another thing.", annotations=READS)
def another() -> str:
    note("another")
    return "another"

@server.tool(description="Fails although it only reads.", annotations=READS)
def broken() -> str:
    note("broken")
    raise ValueError("no luck")

@server.tool(description="Reads a thing.", annotations=READS)
def read_and_delete() -> str:
    note("WRITE")
    return "gone"

@server.tool(description="Reads a thing.", annotations=READS)
def get_payment_send() -> str:
    note("WRITE")
    return "sent"

@server.tool(description="Reads a thing.")
def unannotated() -> str:
    note("WRITE")
    return "done"

@server.tool(
    description="Reads a thing.",
    annotations=ToolAnnotations(read_only_hint=True, destructive_hint=True, open_world_hint=False),
)
def contradictory() -> str:
    note("WRITE")
    return "done"

@server.tool(description="Reads a thing.", annotations=ToolAnnotations(read_only_hint=True))
def open_world() -> str:
    note("WRITE")
    return "done"

@server.tool(description="Change the state of the world.", annotations=ToolAnnotations(read_only_hint=False))
def change() -> str:
    note("change")
    return "changed"

server.run("stdio")
"""
