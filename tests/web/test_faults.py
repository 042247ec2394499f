"""When the disk, a database or the project fails, the page answers with a sentence and goes on afterwards."""

import resource
import shutil
import sqlite3
from pathlib import Path

from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.requirements import requirement
from tests.server.conftest import save
from tests.web.conftest import CHANGE, opened

from recollect.app.project import Recollect
from recollect.paths import STATE_NAME
from recollect.web.page import WebPage

READS = ["project", "overview", "savings", "attention", "health", "runs", "runs/run-1"]
GRANT = {"tool": "a:b", "arguments": {}, "uses": 1, "minutes": 5}


def answers(browser: TestClient) -> dict[str, tuple[int, str]]:
    """The code of each read, with the error it names."""
    responses = {path: browser.get(f"/api/{path}") for path in READS}
    return {path: (each.status_code, each.json().get("error", "")) for path, each in responses.items()}


@requirement("page:faults:sentence")
def test_a_database_that_is_damaged_is_named_and_the_page_goes_on_without_it(
    project: Recollect, browser: TestClient
) -> None:
    save(project, "Sign a token at login")
    state = project.prepare_state_folder() / STATE_NAME
    state.write_bytes(b"no database " * 1_000)
    damaged = answers(browser)
    grant = browser.post("/api/grants", json=GRANT, headers=CHANGE)
    state.unlink()
    mended = answers(browser)

    assert damaged["runs"][0] == 503
    assert STATE_NAME in damaged["runs"][1]
    assert grant.status_code == 503
    assert {code for code, _ in damaged.values()} <= {200, 404, 503}
    assert damaged["project"][0] == damaged["health"][0] == 200
    assert {path: code for path, (code, _) in mended.items() if code != 200} == {"runs/run-1": 404}


@requirement("page:faults:sentence")
def test_a_database_that_another_process_holds_is_answered_with_a_sentence(
    project: Recollect, browser: TestClient
) -> None:
    assert browser.get("/api/runs").status_code == 200
    state = project.prepare_state_folder() / STATE_NAME
    with sqlite3.connect(state, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        reads = answers(browser)
        refused = browser.post("/api/grants", json=GRANT, headers=CHANGE)
        other.execute("ROLLBACK")
    other.close()
    granted = browser.post("/api/grants", json=GRANT, headers=CHANGE)

    assert {code for code, _ in reads.values()} <= {200, 404}
    assert refused.status_code == 503
    assert refused.json()["error"]
    assert granted.status_code == 200


@requirement("page:faults:sentence")
def test_a_project_that_disappears_is_named_and_found_again(
    folder: Path, tmp_path: Path, project: Recollect, browser: TestClient
) -> None:
    save(project, "Sign a token at login")
    before = answers(browser)
    folder.rename(tmp_path / "elsewhere")
    gone = answers(browser)
    gone_grant = browser.post("/api/grants", json=GRANT, headers=CHANGE)
    was_made = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    (tmp_path / "elsewhere").rename(folder)
    back = answers(browser)

    assert before["overview"][0] == 200
    assert {code for code, _ in gone.values()} <= {200, 404, 503}
    assert {gone[path][0] for path in ("project", "overview", "health", "runs")} == {404}
    assert all(error for code, error in gone.values() if code != 200)
    assert gone_grant.status_code == 404
    assert not was_made
    assert back == before


@requirement("page:faults:sentence")
def test_a_disk_without_room_is_answered_with_a_sentence_and_then_works_again(
    project: Recollect, browser: TestClient
) -> None:
    save(project, "Sign a token at login")
    before = answers(browser)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))
    try:
        full = answers(browser)
        refused = browser.post("/api/grants", json=GRANT, headers=CHANGE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    granted = browser.post("/api/grants", json=GRANT, headers=CHANGE)

    assert full == before
    assert refused.status_code == 503
    assert refused.json()["error"]
    assert granted.status_code == 200


def test_two_pages_of_one_project_show_the_same(
    folder: Path, env: dict[str, str], wall: Wall, project: Recollect
) -> None:
    with (
        opened(WebPage(folder, env=env, clock=wall)) as first,
        opened(WebPage(folder, env=env, clock=wall)) as second,
    ):
        granted = [each.post("/api/grants", json=GRANT, headers=CHANGE) for each in (first, second)]
        save(project, "Sign a token at login")
        shown = [each.get("/api/overview").json()["memories"] for each in (first, second)]

    assert [each.status_code for each in granted] == [200, 200]
    assert shown == [1, 1]
