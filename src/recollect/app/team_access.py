"""The teams of the configured database: of a folder's project, of a project by its name, and new ones."""

import getpass
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect import config as configuration
from recollect import paths
from recollect.app.team import Team
from recollect.errors import RefusedError
from recollect.storage import project as projects_on_disk
from recollect.storage.postgres.database import ProjectKey
from recollect.storage.postgres.projects import add_project, open_project_database, servers_of
from recollect.storage.postgres.text_values import storable
from recollect.team.members import TeamProject
from recollect.team.principal import Principal
from recollect.team.roles import MemberRole


def open_team_of(folder: Path, name: str = "", env: Mapping[str, str] = os.environ) -> Team:
    """The team of the folder's project, or of the project of that name.

    Raises RefusedError without a database, NotFoundError for an unknown project, and StoreError.
    """
    config = configuration.load(env, paths.user_config(env))
    url = _database(config)
    if name:
        key = ProjectKey(storable(name))
        servers_of(url).directory.require(key)
        return Team(servers_of(url).project(key))
    project = projects_on_disk.locate(folder, config.memory_root)
    identity = projects_on_disk.identify(project)
    return Team(open_project_database(url, identity.name, project.folder.name)[0])


def create_project(name: str, server: str = "", env: Mapping[str, str] = os.environ) -> Team:
    """A new project, on the configured server or on another one. Raises RefusedError for one that exists."""
    url = _database(configuration.load(env, paths.user_config(env)))
    return Team(add_project(url, name, server))


def projects(env: Mapping[str, str] = os.environ) -> Sequence[TeamProject]:
    """Every project of the configured database."""
    url = _database(configuration.load(env, paths.user_config(env)))
    return [
        TeamProject(place.project, place.name, place.server, place.created_at)
        for place in servers_of(url).directory.all()
    ]


def operator_of(team: Team) -> Principal:
    """Whoever has the database's password, by the name of their account. They may do everything."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "operator"
    return Principal(name, "person", MemberRole.ADMIN, team.project)


def _database(config: configuration.Config) -> str:
    if not config.database:
        raise RefusedError(
            "a team needs a database: set RECOLLECT_DATABASE, or `recollect config --user database "
            "postgresql://USER@HOST/NAME`. Without a database, everything here belongs to you alone."
        )
    return config.database
