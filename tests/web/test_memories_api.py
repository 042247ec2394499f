"""Memories over the API of the page: searched, listed, edited by version, linked, retired, with history."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.server.conftest import save
from tests.web.conftest import CHANGE

from recollect.app.project import Recollect
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.records.record import Link, LinkType


def put(browser: TestClient, id: str, version: str, /, **fields: Any) -> Any:
    body = {"version": version, "fields": fields}
    return browser.put(f"/api/memories/{id}", json=body, headers=CHANGE)


def post(browser: TestClient, path: str, **body: Any) -> Any:
    return browser.post(f"/api/memories/{path}", json=body, headers=CHANGE)


@requirement("page:memories:search")
def test_a_search_explains_each_score_and_leaves_no_trace(
    project: Recollect, browser: TestClient
) -> None:
    save(project, "Sign a token at login")
    save(project, "Keep uploads small", Category.CONSTRAINT)

    out = browser.get("/api/search", params={"q": "token login"}).json()

    [best, *_] = out["hits"]
    assert best["title"] == "Sign a token at login"
    shares = sum(part["share"] for part in best["explanation"]["channels"])
    assert shares > 0
    assert (
        browser.get("/api/search", params={"q": "token", "category": "constraint"}).json()["hits"] == []
    )
    assert project.traces.latest(10) == ()


@requirement("page:memories:pages")
def test_memories_are_listed_in_pages_by_category_tag_and_force(
    project: Recollect, browser: TestClient
) -> None:
    ids = [save(project, f"Decision number {number}") for number in range(5)]
    save(project, "Keep uploads small", Category.CONSTRAINT, tags=["size"])
    project.memories.retire(ids[0], "replaced")

    def total(**query: Any) -> int:
        return int(browser.get("/api/memories", params=query).json()["total"])

    page = browser.get("/api/memories", params={"offset": 3, "limit": 2}).json()
    assert (page["total"], page["offset"], len(page["memories"])) == (5, 3, 2)
    assert total(category="constraint") == 1
    assert total(tag="size") == 1
    assert total(state="not_in_force") == 1
    assert total(state="all") == 6
    assert total(state="all", tag="size", category="decision") == 0
    assert {"tag": "size", "memories": 1} in browser.get("/api/memory-forms").json()["tags"]


def test_what_is_not_in_force_includes_every_reason(project: Recollect, browser: TestClient) -> None:
    older = save(project, "Sign a token at login")
    newer = save(project, "Use opaque sessions")
    proposed = save(project, "Rotate keys daily", content={"status": "proposed"})
    link = Link(LinkType.SUPERSEDES, UnifiedId(f"mem:{older}"))
    project.memories.link(newer, link)

    out = browser.get("/api/memories", params={"state": "not_in_force"}).json()
    hits = browser.get("/api/search", params={"q": "token keys", "state": "not_in_force"}).json()[
        "hits"
    ]

    assert {row["id"] for row in out["memories"]} == {older, proposed}
    assert {hit["id"] for hit in hits} == {older, proposed}


def test_a_memory_names_its_links_from_both_ends(project: Recollect, browser: TestClient) -> None:
    older, newer = save(project, "Sign a token at login"), save(project, "Use opaque sessions")
    assert post(browser, f"{newer}/links", type="supersedes", target=older).status_code == 200

    out = browser.get(f"/api/memories/{older}").json()

    assert out["superseded_by"] == [newer]
    [link] = out["links"]
    assert (link["id"], link["phrase"], link["holds"]) == (newer, "superseded by", False)
    assert link["title"] == "Use opaque sessions"
    assert post(browser, f"{newer}/unlink", type="supersedes", target=older).status_code == 200
    assert browser.get(f"/api/memories/{older}").json()["in_force"] is True


@requirement("page:memories:conflict")
def test_an_edit_of_a_memory_that_changed_on_disk_is_a_conflict_with_both_versions(
    project: Recollect, browser: TestClient
) -> None:
    id = save(project, "Sign a token at login")
    read = browser.get(f"/api/memories/{id}").json()
    project.memories.edit(id, lambda _: {"title": "Sign a token at each login"}, "Edited elsewhere")

    answer = put(browser, id, read["version"], title="Sign tokens")

    assert answer.status_code == 409
    out = answer.json()
    assert out["expected"] == read["version"]
    assert out["current"]["memory"]["title"] == "Sign a token at each login"
    assert project.get(id).memory.title == "Sign a token at each login"
    assert (
        put(browser, id, out["current"]["version"], title="Sign tokens").json()["action"] == "updated"
    )
    assert project.get(id).memory.title == "Sign tokens"


@requirement("page:memories:validation")
def test_an_invalid_edit_names_every_field_and_writes_nothing(
    project: Recollect, browser: TestClient
) -> None:
    id = save(project, "Sign a token at login")
    before = project.get(id)
    content = before.memory.content | {"status": "perhaps", "decision": ""}

    checked = post(
        browser, f"{id}/check", version=before.digest, fields={"title": "", "content": content}
    ).json()
    refused = put(browser, id, before.digest, title="", content=content)

    wrong = {"title", "content.status", "content.decision"}
    assert {row["field"] for row in checked["problems"]} == wrong
    assert set(checked["changed"]) == {"title", "status", "decision"}
    assert refused.status_code == 400
    assert {row["field"] for row in refused.json()["problems"]} == wrong
    assert project.get(id) == before


@pytest.mark.parametrize("name", ["id", "category", "links", "changes", "record_status", "other"])
def test_an_edit_changes_no_field_that_has_an_act_of_its_own(
    project: Recollect, browser: TestClient, name: str
) -> None:
    id = save(project, "Sign a token at login")
    before = project.get(id)

    assert put(browser, id, before.digest, **{name: "x"}).status_code == 400
    assert project.get(id) == before


@pytest.mark.parametrize("value", ["NaN", "1e999", "[" * 200 + "]" * 200])
def test_an_edit_keeps_to_the_limits_of_a_file(
    project: Recollect, browser: TestClient, value: str
) -> None:
    id = save(project, "Sign a token at login")
    before = project.get(id)
    content = json.dumps(before.memory.content)[:-1] + f', "more": {value}}}'
    body = f'{{"version": "{before.digest}", "fields": {{"content": {content}}}}}'
    headers = CHANGE | {"Content-Type": "application/json"}

    answer = browser.put(f"/api/memories/{id}", content=body, headers=headers)

    assert answer.status_code == 400
    assert project.get(id) == before


def test_a_memory_is_retired_and_restored(project: Recollect, browser: TestClient) -> None:
    id = save(project, "Sign a token at login")

    post(browser, f"{id}/status", status="retired", reason="We use sessions")
    retired = browser.get(f"/api/memories/{id}").json()
    post(browser, f"{id}/status", status="active")

    assert retired["not_in_force"] == "retired"
    assert retired["memory"]["retired_reason"] == "We use sessions"
    assert browser.get(f"/api/memories/{id}").json()["in_force"] is True


def test_a_secret_in_an_edit_is_removed_before_it_is_written(
    project: Recollect, browser: TestClient
) -> None:
    id = save(project, "Sign a token at login")
    secret = "ghp_" + "a1B2" * 9
    content = project.get(id).memory.content | {"context": f"The key is {secret}."}

    out = put(browser, id, project.get(id).digest, content=content).json()

    assert [row["field"] for row in out["redacted"]] == ["content.context"]
    assert secret not in json.dumps(project.get(id).memory.document)


@requirement("page:memories:history")
def test_the_history_is_that_of_git_and_of_the_memory_itself(
    folder: Path, project: Recollect, browser: TestClient
) -> None:
    id = save(project, "Sign a token at login")
    commit(folder, "Save the decision")
    put(browser, id, project.get(id).digest, title="Sign a token at each login")
    commit(folder, "Say which login")

    out = browser.get(f"/api/memories/{id}/history").json()
    newest = browser.get(f"/api/memories/{id}/history/{out['revisions'][0]['revision']}").json()
    oldest = browser.get(f"/api/memories/{id}/history/{out['revisions'][1]['revision']}").json()

    assert [row["summary"] for row in out["revisions"]] == ["Say which login", "Save the decision"]
    assert [row["summary"] for row in out["changes"]] == ["Changed title"]
    assert '"Sign a token at login"' in newest["before"]
    assert '"Sign a token at each login"' in newest["after"]
    assert oldest["before"] == ""


def test_without_git_the_history_is_the_memorys_own(project: Recollect, browser: TestClient) -> None:
    id = save(project, "Sign a token at login")
    put(browser, id, project.get(id).digest, tags=["login"])

    out = browser.get(f"/api/memories/{id}/history").json()

    assert out["revisions"] == []
    assert [row["summary"] for row in out["changes"]] == ["Changed tags"]


@pytest.mark.parametrize(
    "path", ["no-such-memory", "..%2F..%2Fetc", "A B", "no-such-memory/history", "%00"]
)
def test_a_memory_that_is_not_there_is_not_found(browser: TestClient, path: str) -> None:
    assert browser.get(f"/api/memories/{path}").status_code == 404


@pytest.mark.parametrize("revision", ["HEAD", "--output=x", "deadbeef", "main:x"])
def test_a_revision_is_a_commit_of_the_file_alone(
    folder: Path, project: Recollect, browser: TestClient, revision: str
) -> None:
    id = save(project, "Sign a token at login")
    commit(folder, "Save the decision")

    assert browser.get(f"/api/memories/{id}/history/{revision}").status_code == 404


def commit(folder: Path, subject: str) -> None:
    """Commit everything in a folder, which becomes a repository."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", subject)):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
