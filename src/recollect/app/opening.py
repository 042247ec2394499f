"""Opening a project, creating one, and searching documents without a project."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as configuration
from recollect import paths
from recollect.agents.launch import Launch
from recollect.app.bounded_model import BackgroundRun
from recollect.app.connections import SERVE, Connections
from recollect.app.driver import importing_driver
from recollect.app.finder import SERVER_SLICE_SECONDS, SLICE_SECONDS, Finder, embedder_of
from recollect.app.graph_channel import GraphChannel
from recollect.app.library import MemorySpace, memory_index
from recollect.app.lookup import IndexLookup, WrittenIndex
from recollect.app.models import configured_model, configured_reranker, missing, missing_reranker
from recollect.app.project import Recollect
from recollect.app.reranking import reranking_of
from recollect.app.search_index import SearchIndex
from recollect.app.settings import check_writable, config_of_folder, refusal
from recollect.app.skills import Skills, skills_of
from recollect.app.state_source import state_of_project, state_of_root
from recollect.app.traces import ProjectTraces
from recollect.clock import Clock, utc_now
from recollect.config import Config
from recollect.errors import NoProjectError, RecollectError
from recollect.records.categories import Category
from recollect.records.lifecycle import Retention
from recollect.records.lookup import Lookup
from recollect.records.memories import Memories
from recollect.records.store import MemoryStore
from recollect.redaction.user_patterns import gate_of
from recollect.retrieval.index import Document
from recollect.storage import project as projects
from recollect.storage.files import setup
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.setup import SetupChange
from recollect.storage.files.skill_folders import SkillFolder
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.storage.models.installed import ModelFolder
from recollect.storage.private import make_folder as make_private_folder
from recollect.storage.private import tighten_folder
from recollect.storage.project import Project
from recollect.storage.sqlite.index_database import DocumentDatabase
from recollect.working.default_rules import rules_of
from recollect.working.tools import ToolNames

if TYPE_CHECKING:
    from recollect.app.team_opening import TeamStores
    from recollect.storage.models.embedder import Embedder


def open_project(
    start: Path | str = ".",
    *,
    env: Mapping[str, str] = os.environ,
    clock: Clock = utc_now,
    run: BackgroundRun | None = None,
    lenient: bool = False,
    files: Callable[[], object] | None = None,
) -> Recollect:
    """Open the memory of the project that `start` is in.

    With `run` its model runs in the background: a search does not wait until it is loaded, and goes by words
    until then. Without, the first search that needs the model loads it. `files` is a version of all memory
    files, for a caller that has them watched: until it changes, none that was edited in place is read.

    Cleans up after a killed writer. Raises NoProjectError where there is no memory root, and
    InvalidConfigError for a configuration file that cannot be read, unless `lenient`: then the defaults
    hold, and whatever writes memories refuses.
    """
    user_file = paths.user_config(env)
    early = configuration.load(env, user_file, lenient=lenient)
    project = projects.locate(Path(start), early.memory_root)
    project_file = str(project.root.path / paths.CONFIG_NAME)
    config = configuration.load(env, user_file, project_file, lenient=lenient)
    return _opened(project, config, env, clock, run, files)


def open_user(
    start: Path | str = ".",
    *,
    env: Mapping[str, str] = os.environ,
    clock: Clock = utc_now,
    lenient: bool = False,
) -> Recollect:
    """Open the user's own memories by themselves, from any folder: they are its project too.

    Files that they name are looked for in the checkout that `start` is in.
    """
    config = configuration.load(env, paths.user_config(env), lenient=lenient)
    user = projects.user_root(Path(paths.data_folder(env)))
    make_private_folder(user.path)
    return _opened(Project(projects.home_of(Path(start)), user), config, env, clock)


def _opened(
    project: Project,
    config: Config,
    env: Mapping[str, str],
    clock: Clock,
    run: BackgroundRun | None = None,
    files: Callable[[], object] | None = None,
) -> Recollect:
    """A project with its memories and the user's, which may be the same."""
    rules_of(config.rules, ToolNames())
    user_file = paths.user_config(env)
    user = projects.user_root(Path(paths.data_folder(env)))
    spaces = _spaces(project, user, config, clock, files)
    for private in (project.root.state, user.path.parent, user.path):
        tighten_folder(private)
    for opened in (spaces.project, spaces.user):
        if opened.store.recover():
            _settle(opened)
    models = ModelFolder(Path(paths.cache_folder(env)) / "models")
    model = configured_model(models, config, user_file)
    cache = Path(paths.cache_folder(env)) / "vectors"
    embedder = embedder_of(model, cache, *((run.run, run.answer_seconds) if run else ()))
    home = Path(paths.home(env))
    skills = skills_of(config, project, home, stored=spaces.team is None)
    finder = _finder(spaces.index, embedder, config, skills)
    finder.missing = missing(models, config, user_file)
    finder.model_version = model.version if model else ""
    finder.latin_only = model is not None and model.is_latin_only
    if run is not None:
        reranker = configured_reranker(models, config, user_file)
        finder.reranking = reranking_of(reranker, run.rerank, run.patience)
        finder.missing_reranker = missing_reranker(models, config, user_file)
    finder.slice_seconds = SLICE_SECONDS if run is None else SERVER_SLICE_SECONDS
    if spaces.team is not None:
        finder.make_vectors = spaces.team.vectors
    if spaces.personal is not None:
        finder.personal = _finder(spaces.personal, embedder, config)
    backups = Path(paths.data_folder(env)) / "backups" / project.folder.name
    connections = Connections(project.folder, home, env, backups, Launch(hook_command, SERVE), clock)
    tree = WorkTree(project.folder)
    state = state_of_root(project.root) if project.root == user else state_of_project(project, config)
    traces = ProjectTraces(state, clock, config.learning.traces)
    return Recollect(
        config,
        project,
        spaces.project,
        spaces.user,
        tree,
        finder,
        models,
        connections,
        skills,
        traces,
        state,
        spaces.team,
    )


@dataclass(frozen=True, slots=True)
class _Spaces:
    """The memories of a project and of its user, and the index of them.

    In a team's database the user's own memories have an index of their own, on this machine.
    """

    project: MemorySpace
    user: MemorySpace
    index: SearchIndex
    team: "TeamStores | None" = None
    personal: SearchIndex | None = None


def _spaces(
    project: Project,
    user: MemoryRoot,
    config: Config,
    clock: Clock,
    files: Callable[[], object] | None,
) -> _Spaces:
    wait, reason = config.lock_wait_seconds, refusal(config)
    user_store = FileStore(user, wait, clock, reason)
    if config.database and project.root != user:
        team = _team(project, user_store, config, clock)
        written = WrittenIndex(memory_index([user_store]), user_store)
        space = _space(user_store, written, config, clock)
        personal = memory_index([user_store], files) if user.path.is_dir() else None
        return _Spaces(team.space, space, team.index, team, personal)
    stores = [user_store]
    if project.root != user:
        stores.insert(0, FileStore(project.root, wait, clock, reason))
    written = WrittenIndex(memory_index(stores), stores[0])
    spaces = [_space(store, written, config, clock) for store in stores]
    return _Spaces(spaces[0], spaces[-1], memory_index(stores, files))


def _team(project: Project, user: FileStore, config: Config, clock: Clock) -> "TeamStores":
    with importing_driver():
        from recollect.app.team_opening import open_team  # noqa: PLC0415 - the driver costs 100 ms

    def operations(store: MemoryStore, lookup: Lookup) -> Memories:
        return Memories(store, gate_of(config.redaction), clock, _retention(config), lookup)

    return open_team(project, user, config, clock, operations)


def _settle(space: MemorySpace) -> None:
    """Do what the memories of a dead writer bring about; the next command tries again where that fails.

    Not where the files are a copy of a database, which stores a memory and its effects together.
    """
    with suppress(RecollectError), space.store.writing():
        if space.memories.store is space.store:
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
    database: str = "",
) -> Finder:
    """Search over documents that are in no file, with the user's own settings and model.

    The index is stored in the file `at`, or in a `database` of a team, if there is one. `embedder` replaces
    the installed model, and `graph` the setting that makes search follow links.
    """
    config = configuration.load(env, paths.user_config(env))
    cache = Path(paths.cache_folder(env))
    model = ModelFolder(cache / "models").get(config.retrieval.model)
    reads = embedder or embedder_of(model, cache / "vectors")
    finder = (
        _team_corpus(documents, database, reads, config)
        if database
        else _finder(DocumentDatabase(documents, at), reads, config)
    )
    finder.latin_only = embedder is None and model is not None and model.is_latin_only
    if graph is not None:
        finder.graph = GraphChannel(finder.index, None) if graph else None
    return finder


def _team_corpus(
    documents: Sequence[Document],
    url: str,
    embedder: "Callable[[], Embedder] | None",
    config: Config,
) -> Finder:
    with importing_driver():
        from recollect.app.team_corpus import TeamCorpus  # noqa: PLC0415 - the driver costs 100 ms

    corpus = TeamCorpus(documents, url)
    finder = _finder(corpus, embedder, config)
    finder.make_vectors = corpus.vectors
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
