"""Where it is stored what the gateway knows of a user's servers: on this machine, or in a team's database."""

import getpass
from collections.abc import Mapping
from pathlib import Path

from recollect import config as configuration
from recollect import paths
from recollect.app.driver import importing_driver
from recollect.app.stores import GatewayStores
from recollect.storage.private import make_folder
from recollect.storage.sqlite.gateway_database import GatewayDatabase

DATABASE_NAME = "gateway.db"


def configured_database(env: Mapping[str, str]) -> str:
    """The address of the team's database in the user's own settings; empty for none."""
    return configuration.load(env, paths.user_config(env), lenient=True).database


def open_gateway_stores(folder: Path, url: str) -> GatewayStores:
    """The stores in the user's data folder or, with an address, in that database. Raises StoreError."""
    make_folder(folder)
    if not url:
        return GatewayDatabase(str(folder / DATABASE_NAME))
    with importing_driver():
        from recollect.app.database_gateway import (  # noqa: PLC0415 - the driver costs 100 ms
            open_database_gateway,
        )
    return open_database_gateway(url, account_name())


def account_name() -> str:
    """Whose gateway this is in a team's database: the account of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
