"""The address of a database as `recollect config` prints it."""

import pytest

from recollect.config import Config
from recollect.config.addresses import without_password
from recollect.views.settings import setting_row


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:hunter2@db.example/team",
        "postgresql://ada:hunter2@x@db.example/team",
        "postgresql://ada:hunt/er2@db.example/team?sslmode=require",
        "postgresql://db.example/team?user=ada&password=hunter2",
        "host=db.example password=hunter2 dbname=team",
        "host=db.example password = 'hunter2 x' dbname=team",
    ],
)
def test_a_password_is_not_shown(address: str) -> None:
    row = setting_row(Config(database=address), "database")

    assert "hunt" not in str(row["value"])
    assert "db.example" in str(row["value"])


def test_an_address_without_one_is_shown_as_it_is() -> None:
    address = "postgresql://ada@db.example:5433/team?sslmode=verify-full"

    assert without_password(address) == address
