"""`gateway record` and `replay`: a server recorded while it is used, and a fake of it for tests."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import Start

app = typer.Typer()


@command(app, "record", "recollect gateway record time time.jsonl")
def record(
    context: typer.Context,
    server: Annotated[str, typer.Argument(metavar="SERVER", help="The name of a server.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file for the recording.")],
) -> None:
    """Serve one server and record its calls.

    It is served over standard input; its tools and every call with its result are recorded.

    Secrets are not written to the file. The rules of `gateway policy` apply; a call that needs a
    person's approval is refused.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.recordings import RecordingFile
    from recollect.app.settings import config_of_folder
    from recollect.redaction.user_patterns import gate_of
    from recollect.server.recorded_tools import RecordedTools
    from recollect.server.tool_server import serve_tools

    start: Start = context.obj
    gateway = open_gateway()
    recording = RecordingFile(file, gate_of(config_of_folder(start.folder).redaction))
    gateway.refresh(server)
    serve_tools(server, RecordedTools(gateway, start.folder, server, recording))


@command(app, "replay", "recollect gateway replay time.jsonl")
def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording.")],
) -> None:
    """Serve a recording instead of its server.

    Over standard input: the recorded tools, and the recorded results of recorded calls.

    A call that was not recorded gets an error that says so. Nothing else is started.
    """
    from recollect.app.recordings import open_recording
    from recollect.app.settings import config_of_folder
    from recollect.redaction.user_patterns import gate_of
    from recollect.server.replayed_tools import ReplayedTools
    from recollect.server.tool_server import serve_tools

    start: Start = context.obj
    recording = open_recording(file)
    gate = gate_of(config_of_folder(start.folder).redaction)
    serve_tools(recording.server, ReplayedTools(recording, gate))
