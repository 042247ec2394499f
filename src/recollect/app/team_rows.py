"""The part of a team's database that belongs to a project."""

from recollect.config import Config
from recollect.storage import project as projects
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.projects import open_project_database
from recollect.storage.project import Project


def team_rows(project: Project, config: Config) -> ProjectDatabase:
    """The project's rows. A file pins the name of a new project: another remote must not make it another."""
    identity = projects.identify(project)
    rows, is_new = open_project_database(config.database, identity.name, project.folder.name)
    if identity.source == "path" or (is_new and identity.source == "git"):
        projects.pin_identity(project, identity.name)
    return rows
