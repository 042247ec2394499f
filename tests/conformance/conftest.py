"""Each port's factories as fixtures. Session-wide: a factory has no state, so property tests may use it."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress

import pytest
from tests.conformance.engines import ENGINES, Engine, OpenGateway, OpenState
from tests.conformance.indexes import INDEXES, MakeIndex, sqlite
from tests.postgres import share
from tests.soak import times
from tests.storage.postgres.plans import Recorder, crossings

from recollect.storage.postgres.database import Database

_RECORDER = Recorder()


@pytest.fixture(scope="session", autouse=True)
def postgres_engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """The database of the PostgreSQL factories. Where there is none, they skip their tests.

    In the end no statement that a suite executed may scan across projects.
    """
    database: Database | None = None
    with suppress(pytest.skip.Exception):
        database = request.getfixturevalue("postgres_database")
        share(database)
    yield
    if database is not None:
        assert crossings(database, _RECORDER.statements) == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Record the statements of these suites alone: other tests leave the project out on purpose."""
    with _RECORDER.recording():
        return (yield)


@pytest.fixture(scope="session", params=INDEXES, ids=lambda make: make.__name__)
def make_index(request: pytest.FixtureRequest) -> MakeIndex:
    make: MakeIndex = request.param
    return make


@pytest.fixture(scope="session")
def spent(make_index: MakeIndex) -> Callable[[str], bool]:
    """Whether a property had its examples: a fifth of them where each statement goes over a socket."""
    counts: Counter[str] = Counter()

    def spent(name: str) -> bool:
        counts[name] += 1
        return make_index is not sqlite and counts[name] > times(20)

    return spent


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "sqlite":
        return Engine()
    return Engine(request.getfixturevalue("postgres_database"))


@pytest.fixture(scope="session")
def open_state(engine: Engine) -> OpenState:
    return engine.state


@pytest.fixture(scope="session")
def open_gateway(engine: Engine) -> OpenGateway:
    return engine.gateway
