"""What is known from use of upstream tools: the project's tool graph, and how reliable the tools were."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path

from recollect import clock, paths
from recollect.app.gateway import Gateway
from recollect.app.settings import config_of_folder
from recollect.app.state_source import StateSource, state_of_project, state_of_root
from recollect.errors import NoProjectError, OutsideRootError, RecollectError, StoreError
from recollect.gateway.discovery import Experience
from recollect.gateway.receipts import reliability
from recollect.gateway.tool_graph import ToolGraph, graph_of
from recollect.storage import project as projects
from recollect.storage.files.root import MemoryRoot

_RELIABLE_DAYS = 30  # a tool that was mended is not blamed for longer


def tool_experience(gateway: Gateway, folder: Path, context: Collection[str] = ()) -> Experience:
    """What discovery may use. A database that is not there or cannot be read says nothing."""
    graph = _graph(gateway, folder) if context else ToolGraph()
    return Experience(context, graph, tool_reliability(gateway))


def tool_reliability(gateway: Gateway) -> Mapping[str, float]:
    """How reliable tools were lately, by id; nothing where the database cannot be read."""
    try:
        return reliability(gateway.database.receipts.uses(recent_day(gateway)))
    except StoreError:
        return {}


def recent_day(gateway: Gateway) -> str:
    """The first day whose receipts say how tools work now."""
    return clock.to_text(gateway.now() - timedelta(days=_RELIABLE_DAYS))[:10]


def _graph(gateway: Gateway, folder: Path) -> ToolGraph:
    try:
        state = records_state(gateway, folder)
        if not state.exists():
            return ToolGraph()
        stores = state.open()
        try:
            return graph_of(stores.tool_graph.edges())
        finally:
            stores.close()
    except RecollectError:
        return ToolGraph()


def records_root(gateway: Gateway, folder: Path) -> MemoryRoot:
    """The root of a folder's project, or the user's own without a project."""
    config = config_of_folder(folder, env=gateway.env)
    try:
        return projects.locate(folder, config.memory_root).root
    except (NoProjectError, OutsideRootError):
        return projects.user_root(Path(paths.data_folder(gateway.env)))


def records_state(gateway: Gateway, folder: Path) -> StateSource:
    """The stores in which calls from a folder are recorded."""
    config = config_of_folder(folder, env=gateway.env)
    try:
        project = projects.locate(folder, config.memory_root)
    except (NoProjectError, OutsideRootError):
        return state_of_root(projects.user_root(Path(paths.data_folder(gateway.env))))
    return state_of_project(project, config)
