"""Opening a project, creating one, and searching documents without a project."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as configuration
from recollect import paths
from recollect.app.connections import Connections
from recollect.app.finder import Finder, embedder_of
from recollect.app.graph_channel import GraphChannel
from recollect.app.library import MemorySpace, memory_index
from recollect.app.lookup import IndexLookup, WrittenIndex
from recollect.app.models import configured_model, missing
from recollect.app.project import Recollect
from recollect.app.settings import check_writable, config_of_folder, refusal
from recollect.app.skills import Skills, skills_of
from recollect.app.traces import ProjectTraces
from recollect.clock import Clock, utc_now
from recollect.config import Config
from recollect.errors import NoProjectError, RecollectError
from recollect.records.categories import Category
from recollect.records.lifecycle import Retention
from recollect.records.memories import Memories
from recollect.redaction.user_patterns import gate_of
from recollect.retrieval.index import Document
from recollect.storage import project as projects
from recollect.storage.files import setup
from recollect.storage.files.setup import SetupChange
from recollect.storage.files.skill_folders import SkillFolder
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.storage.models.installed import ModelFolder
from recollect.storage.private import tighten_folder
from recollect.storage.sqlite.index_database import DocumentDatabase, SearchIndex
from recollect.working.default_rules import rules_of
from recollect.working.tools import ToolNames

if TYPE_CHECKING:
    from recollect.app.finder import RunModel
    from recollect.storage.models.embedder import Embedder


def open_project(
    start: Path | str = ".",
    *,
    env: Mapping[str, str] = os.environ,
    clock: Clock = utc_now,
    run: "RunModel | None" = None,
) -> Recollect:
    """Open the memory of the project that `start` is in; `run` runs its model, in place of this process.

    Cleans up after a killed writer. Raises NoProjectError where there is no memory root.
    """
    user_file = paths.user_config(env)
    early = configuration.load(env, user_file)
    project = projects.locate(Path(start), early.memory_root)
    config = configuration.load(env, user_file, str(project.root.path / paths.CONFIG_NAME))
    rules_of(config.rules, ToolNames())
    wait, reason = config.lock_wait_seconds, refusal(config)
    user = projects.user_root(Path(paths.data_folder(env)))
    stores = [FileStore(root, wait, clock, reason) for root in (project.root, user)]
    written = WrittenIndex(memory_index(stores), stores[0])
    space, user_space = (_space(store, written, config, clock) for store in stores)
    for private in (project.root.state, user.path.parent, user.path):
        tighten_folder(private)
    for opened in (space, user_space):
        if opened.store.recover():
            _settle(opened)
    models = ModelFolder(Path(paths.cache_folder(env)) / "models")
    model = configured_model(models, config, user_file)
    embedder = embedder_of(model, Path(paths.cache_folder(env)) / "vectors", run)
    index = memory_index(stores)
    home = Path(paths.home(env))
    skills = skills_of(config, project, home)
    finder = _finder(index, embedder, config, skills)
    finder.missing = missing(models, config, user_file)
    backups = Path(paths.data_folder(env)) / "backups" / project.folder.name
    connections = Connections(project.folder, home, env, backups, hook_command, clock)
    tree = WorkTree(project.folder)
    traces = ProjectTraces(project.root.state, stores[0].prepare_state, clock, config.learning.traces)
    return Recollect(
        config, project, space, user_space, tree, finder, models, connections, skills, traces
    )


def _settle(space: MemorySpace) -> None:
    """Do what the memories of a dead writer bring about; the next command tries again where that fails."""
    with suppress(RecollectError), space.store.writing():
        space.memories.close_superseded()
        space.store.settle()


def init_project(
    start: Path | str = ".", *, env: Mapping[str, str] = os.environ, clock: Clock = utc_now
) -> tuple[Recollect, list[SetupChange]]:
    """Create the memory root of the project that `start` is in; an existing one is kept as it is."""
    check_writable(config_of_folder(start, env=env))
    early = configuration.load(env, paths.user_config(env))
    root = early.memory_root
    try:
        project = projects.locate(Path(start), root)
    except NoProjectError:
        project = projects.project_at(projects.home_of(Path(start)), root)
    steps = setup.install(project, FileStore(project.root, early.lock_wait_seconds))
    return open_project(project.folder, env=env, clock=clock), steps


def hook_command(harness: str, event: str) -> list[str]:
    """The command that a harness runs for an event: this interpreter with its fastest options."""
    script = Path(__file__).parent.parent / "hook" / "main.py"
    return [sys.executable, "-I", "-S", str(script), harness, event]


def open_corpus(
    documents: Sequence[Document],
    *,
    env: Mapping[str, str] = os.environ,
    at: Path | None = None,
    embedder: "Callable[[], Embedder] | None" = None,
    graph: bool | None = None,
) -> Finder:
    """Search over documents that are in no file, with the user's own settings and model.

    The index is stored in the file `at`, if there is one. `embedder` replaces the installed model, and
    `graph` the setting that makes search follow links.
    """
    config = configuration.load(env, paths.user_config(env))
    cache = Path(paths.cache_folder(env))
    model = ModelFolder(cache / "models").get(config.retrieval.model)
    reads = embedder or embedder_of(model, cache / "vectors")
    finder = _finder(DocumentDatabase(documents, at), reads, config)
    if graph is not None:
        finder.graph = GraphChannel(finder.index, None) if graph else None
    return finder


def open_skills(folder: Path) -> Skills:
    """The skills of one folder, read once."""
    return Skills([SkillFolder(folder, "skills")], seconds=3600)


def _finder(
    index: SearchIndex,
    embedder: "Callable[[], Embedder] | None",
    config: Config,
    skills: Skills | None = None,
) -> Finder:
    unified = config.graph.unified  # without it a search is exactly one without graphs
    return Finder(
        index,
        embedder,
        config.chosen_strategy,
        config.retrieval.fusion,
        unified and config.retrieval.diverse,
        config.retrieval.max_inject,
        GraphChannel(index, skills) if unified else None,
        unified and config.graph.authority,
    )


def _space(store: FileStore, index: WrittenIndex, config: Config, clock: Clock) -> MemorySpace:
    store.on_written = index.refresh
    gate, lookup = gate_of(config.redaction), IndexLookup(index, store)
    return MemorySpace(Memories(store, gate, clock, _retention(config), lookup), store)


def _retention(config: Config) -> Retention:
    days = {category: config.categories.retention_days(category.value) for category in Category}
    most = {
        Category.SESSION_SUMMARY: config.categories.session_summary.max_retained,
    }
    return Retention(config.delete.grace_period_days, days, most)
