"""A small catalogue: the tools of a few servers as they describe themselves."""

from typing import Any

from recollect.gateway.tool import UpstreamTool


def tool(id: str, description: str = "", **parameters: str) -> UpstreamTool:
    """A tool by its id, with a description for each parameter."""
    server, _, name = id.partition(":")
    properties: dict[str, Any] = {
        parameter: {"type": "string", "description": about} for parameter, about in parameters.items()
    }
    return UpstreamTool(server, name, description, {"type": "object", "properties": properties})


CATALOGUE = (
    tool("files:read_text_file", "Read a file and return its content as text.", path="which file"),
    tool("files:write_file", "Create a new file or overwrite an existing one.", path="", content=""),
    tool("files:move_file", "Move or rename files and directories.", source="", destination=""),
    tool("files:list_directory", "List the files and folders below a path."),
    tool("git:git_commit", "Record the staged changes in the repository.", message="what changed"),
    tool("git:git_log", "Show the history of commits.", max_count="how many commits"),
    tool("git:git_clone", "Copy a remote repository to this machine.", url=""),
    tool("npm:npm_install", "Install the dependencies of a package."),
    tool("host:deploy", "Publish a build on the hosting service.", environment="staging, production"),
    tool("time:get_current_time", "The current time in a timezone.", timezone="an IANA name"),
    tool("time:convert_time", "Convert a time between timezones."),
    tool("weather:airqualityforecast", "Two days of pollution levels for a US zip code."),
)
