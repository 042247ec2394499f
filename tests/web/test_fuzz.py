"""The API does as its description says, for requests that are made up from the description."""

from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.requirements import requirement
from tests.server.conftest import save
from tests.soak import SOAK, times
from tests.web.running import Served

from recollect.app.gateway import open_gateway
from recollect.app.opening import open_project
from recollect.app.run_store import open_run_store
from recollect.records.json_format import JsonObject
from recollect.web.api import description
from recollect.workflow import events
from recollect.workflow.events import JournalEntry, RunEvent

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
RUN, AT = "run-1a2b3c4d", "2026-01-31T10:00:00.000Z"
KNOWN = {"run": RUN, "task": "sum", "id": "sign-a-token-at-login"}  # so that requests get further
# Every edge of every schema takes a minute: that is for soaking.
CONFIG = SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": SOAK > 1}}})
SCHEMA = schemathesis.openapi.from_dict(description(), config=CONFIG)


@pytest.fixture(scope="module")
def filled(served: Served, place: tuple[Path, dict[str, str]]) -> Served:
    """A page of a project with a memory and a run that has ended."""
    folder, env = place
    save(open_project(folder, env=env), "Sign a token at login")
    journal = open_run_store(open_gateway(env), folder).journal
    task: JsonObject = {"id": "sum", "tool": "talk:add", "arguments": {"a": 1, "b": 2}}
    journal.begin(RUN, "add", JournalEntry(1, AT, events.RunStarted({"tasks": [task]})))
    happened: tuple[RunEvent, ...] = (
        events.TaskSucceeded("sum", {"sum": 3}),
        events.RunFinished("succeeded"),
    )
    journal.append(
        RUN, [JournalEntry(number, AT, event) for number, event in enumerate(happened, 2)], "succeeded"
    )
    return served


@pytest.fixture(scope="module")
def session(filled: Served) -> requests.Session:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {filled.out['token']}"
    return session


@requirement("page:api:described")
@SCHEMA.exclude(path="/api/events").parametrize()  # which has no end
@settings(max_examples=times(4), derandomize=SOAK == 1, suppress_health_check=list(HealthCheck))
def test_no_request_that_the_description_allows_is_a_server_error(
    case: Any, filled: Served, session: requests.Session
) -> None:
    for name, value in (case.path_parameters or {}).items():
        if len(str(value)) % 2:  # half of the requests are about what exists
            case.path_parameters[name] = KNOWN.get(name, value)
    response = case.call(f"http://127.0.0.1:{filled.out['port']}", session=session)

    case.validate_response(response, checks=CHECKS)
