"""Each port's factories as fixtures. Session-wide: a factory has no state, so property tests may use it."""

import pytest
from tests.conformance.indexes import INDEXES, MakeIndex


@pytest.fixture(scope="session", params=INDEXES, ids=lambda make: make.__name__)
def make_index(request: pytest.FixtureRequest) -> MakeIndex:
    make: MakeIndex = request.param
    return make
