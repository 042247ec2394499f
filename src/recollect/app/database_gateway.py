"""What the gateway knows of a person's servers, in a team's database: the same on every machine of theirs."""

from recollect.app.stores import GatewayStores
from recollect.storage.postgres.gateway_database import PostgresGateway
from recollect.storage.postgres.projects import open_project_database

_PERSONAL = "person:"  # a project of one person: their gateway belongs to no project of the team


def open_database_gateway(url: str, member: str) -> GatewayStores:
    """The stores of a person's gateway. Raises StoreError when the database cannot be used."""
    rows, _ = open_project_database(url, f"{_PERSONAL}{member}", member)
    return PostgresGateway(rows, member)
