"""Small real servers for tests, each a script that a Python process runs over standard input and output."""

import sys
from typing import Any

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


def entry(script: str, *arguments: str, **keys: Any) -> dict[str, Any]:
    """An `mcpServers` entry that runs a script."""
    return {"command": sys.executable, "args": ["-c", script, *arguments], **keys}
