"""What is known from use of upstream tools: the project's tool graph, and how reliable the tools were."""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

from recollect import clock, paths
from recollect.app.gateway import Gateway
from recollect.app.settings import config_of_folder
from recollect.errors import NoProjectError, OutsideRootError, RecollectError, StoreError
from recollect.gateway.discovery import Experience
from recollect.gateway.receipts import reliability
from recollect.gateway.tool_graph import ToolGraph, graph_of
from recollect.paths import STATE_NAME
from recollect.storage import project as projects
from recollect.storage.files.root import MemoryRoot
from recollect.storage.sqlite.state import StateDatabase

_RELIABLE_DAYS = 30  # a tool that was mended is not blamed for longer


def tool_experience(gateway: Gateway, folder: Path, context: Collection[str] = ()) -> Experience:
    """What discovery may use. A database that is not there or cannot be read says nothing."""
    try:
        rates = reliability(gateway.database.receipts.uses(recent_day(gateway)))
    except StoreError:
        rates = {}
    return Experience(context, _graph(gateway, folder) if context else ToolGraph(), rates)


def recent_day(gateway: Gateway) -> str:
    """The first day whose receipts say how tools work now."""
    return clock.to_text(gateway.now() - timedelta(days=_RELIABLE_DAYS))[:10]


def _graph(gateway: Gateway, folder: Path) -> ToolGraph:
    try:
        path = records_root(gateway, folder).state / STATE_NAME
        if not path.exists():
            return ToolGraph()
        database = StateDatabase(str(path))
        try:
            return graph_of(database.tool_graph.edges())
        finally:
            database.close()
    except RecollectError:
        return ToolGraph()


def records_root(gateway: Gateway, folder: Path) -> MemoryRoot:
    """Where calls from a folder are recorded: its project, or the user's own root without a project."""
    config = config_of_folder(folder, env=gateway.env)
    try:
        return projects.locate(folder, config.memory_root).root
    except (NoProjectError, OutsideRootError):
        return projects.user_root(Path(paths.data_folder(gateway.env)))
