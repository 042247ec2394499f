"""Whether the driver of the configured database is installed. It is an extra of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import RefusedError
from recollect.installation import how_to_add


@contextmanager
def importing_driver() -> Iterator[None]:
    """Import what needs the driver inside this. Raises RefusedError that says how to add it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("psycopg"):
            raise
        raise RefusedError(
            f"the setting 'database' needs a driver that is not installed: {how_to_add('postgres')}"
        ) from None
