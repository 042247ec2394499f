"""The page of a team: every endpoint with every role, sign-in, revocation, the audit log and rate limits."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.postgres import Server, connected
from tests.requirements import requirement
from tests.samples import draft
from tests.team.holders import OPERATOR, Holder, holders, new_team, token_of
from tests.web.conftest import CHANGE, PORT

from recollect.app.opening import open_project
from recollect.app.team import Team
from recollect.app.team_tokens import TeamTokens
from recollect.errors import InvalidConfigError
from recollect.loopback.endpoint import API, EVENT_STREAM
from recollect.loopback.origins import public_origin
from recollect.records.memories import Saved
from recollect.storage.postgres.database import Database, PoolLimits
from recollect.team.limits import ProjectLimits
from recollect.team.roles import MemberRole, Permission
from recollect.web.api import ENDPOINTS
from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage

HEADERS = CHANGE | {"Content-Type": "application/json"}


@pytest.fixture
def team(postgres_database: Database) -> Team:
    return new_team(postgres_database)


@pytest.fixture
def page(folder: Path, env: dict[str, str], wall: Wall, team: Team) -> Iterator[TestClient]:
    """The page of a team, and nobody has signed in yet."""
    app = make_app(WebPage(folder, env=env, clock=wall), Keys(PORT), TeamTokens(team))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
        yield client


def ask(page: TestClient, method: str, path: str, token: str, body: object = None) -> tuple[int, str]:
    content = None if method == "GET" else json.dumps(body or {})
    headers = HEADERS | {"Authorization": f"Bearer {token}"}
    answer = page.request(method, API + path, content=content, headers=headers)
    return answer.status_code, answer.text


def concrete(path: str) -> str:
    """A path with names that lead nowhere."""
    for name in ("id", "run", "task", "name", "handle", "revision", "scoring"):
        path = path.replace(f"{{{name}}}", "no-such-thing").replace(f"{{{name}:path}}", "no-such-thing")
    assert "{" not in path
    return path


@requirement("team:roles:every-endpoint")
def test_every_endpoint_answers_exactly_the_roles_that_its_action_allows(
    page: TestClient, team: Team
) -> None:
    everybody = holders(team)
    for endpoint in ENDPOINTS:
        for holder in everybody:
            may = holder.principal.may(endpoint.permission)
            if may and endpoint.answer == EVENT_STREAM and endpoint.path == "events":
                continue  # it never ends
            code, text = ask(page, endpoint.method, concrete(endpoint.path), holder.token)

            about = f"{endpoint.method} {endpoint.path} as {holder.kind} {holder.role}: {code} {text}"
            assert code != 401, about
            assert (code == 403) is not may, about


@requirement("team:roles:other-project")
def test_every_endpoint_refuses_the_tokens_of_another_project(
    page: TestClient, postgres_database: Database
) -> None:
    stranger = token_of(new_team(postgres_database), "root", MemberRole.ADMIN)

    for endpoint in ENDPOINTS:
        code, text = ask(page, endpoint.method, concrete(endpoint.path), stranger)

        assert (code, "another project" in text) == (403, True), endpoint.path


def test_the_ids_of_another_project_lead_nowhere(
    page: TestClient, team: Team, tmp_path: Path, env: dict[str, str]
) -> None:
    other = tmp_path / "other"
    (other / ".claude" / "memory").mkdir(parents=True)
    saved = open_project(other, env=env).memories.save(draft("Only the other project knows this"))
    assert isinstance(saved, Saved)
    root = token_of(team, "root", MemberRole.ADMIN)

    for endpoint in ENDPOINTS:
        if "memories/{id}" in endpoint.path:
            path = endpoint.path.replace("{id}", saved.stored.memory.id).replace("{revision}", "HEAD")
            bodies = {
                "memories/{id}/status": {"status": "retired"},
                "memories/{id}/links": {"type": "caused", "target": "mem:x"},
                "memories/{id}/unlink": {"type": "caused", "target": "mem:x"},
            }
            body = bodies.get(endpoint.path, {"version": "x", "fields": {}})
            code, text = ask(page, endpoint.method, path, root, body)
            assert code == 404, text
            assert "Only the other" not in text


def test_no_token_and_a_wrong_one_are_refused_before_anything_is_read(page: TestClient) -> None:
    for token in ("", "wrong", "rct_c2hvcA_0123456789ab_" + "x" * 43):
        assert ask(page, "GET", "project", token)[0] in (401, 403)
    assert "Sign in" in page.get("/").text


@requirement("team:page:sign-in")
def test_a_member_signs_in_and_sees_what_their_role_allows(page: TestClient, team: Team) -> None:
    team.add_member("anna", MemberRole.WRITE, OPERATOR)
    signed_in = page.post(
        "/sign-in", data={"token": token_of(team, "anna", MemberRole.WRITE)}, follow_redirects=False
    )
    assert signed_in.status_code == 303

    shown = page.get("/api/project").json()

    assert shown["member"] == "anna"
    assert Permission.WRITE_MEMORIES.value in shown["may"]
    assert Permission.APPROVE_CALLS.value not in shown["may"]
    assert "'approve'" in shown["approval_refusal"]


def test_an_agents_token_opens_no_page(page: TestClient, team: Team) -> None:
    agent = token_of(team, "root", MemberRole.WRITE, "agent")

    answer = page.post("/sign-in", data={"token": agent}, follow_redirects=False)

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@requirement("team:tokens:revocable")
def test_a_revoked_token_ends_the_session_that_it_opened(page: TestClient, team: Team) -> None:
    page.post(
        "/sign-in", data={"token": token_of(team, "root", MemberRole.ADMIN)}, follow_redirects=False
    )
    assert page.get("/api/project").status_code == 200

    [token] = team.tokens.all()
    assert token.last_used_at
    team.revoke_token(token.id, OPERATOR)

    assert page.get("/api/project").status_code == 401


@requirement("team:audit:writes")
def test_writes_and_decisions_are_recorded_and_reads_are_not(
    page: TestClient, team: Team, folder: Path, env: dict[str, str]
) -> None:
    saved = open_project(folder, env=env).memories.save(draft("Sign a JWT at login"))
    assert isinstance(saved, Saved)
    id = saved.stored.memory.id
    writer = next(each for each in holders(team) if each.name == "writeer")

    ask(page, "GET", f"memories/{id}", writer.token)
    ask(page, "POST", f"memories/{id}/status", writer.token, {"status": "retired"})
    ask(page, "POST", "runs/x/commands", writer.token, {"name": "approve"})
    ask(page, "POST", "grants", writer.token, {"tool": "a:b"})

    rows = team.audit.latest(3)
    assert [(row.permission, row.member, row.outcome) for row in rows] == [
        (Permission.APPROVE_CALLS, "writeer", "refused"),
        (Permission.APPROVE_CALLS, "writeer", "refused"),
        (Permission.WRITE_MEMORIES, "writeer", "done"),
    ]
    assert rows[-1].target == f"POST /api/memories/{id}/status"


@requirement("team:limits:rate")
def test_too_many_requests_are_told_when_to_come_back(page: TestClient, team: Team) -> None:
    root = token_of(team, "root", MemberRole.ADMIN)
    team.set_limits(ProjectLimits(requests_per_minute=1, burst=2), OPERATOR)

    answers = [page.get("/api/project", headers={"Authorization": f"Bearer {root}"}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert "1 requests per minute" in answers[-1].json()["error"]


@requirement("team:tokens:in-no-log")
def test_no_token_is_in_a_log_an_error_or_the_audit_log(
    page: TestClient, team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    everybody: list[Holder] = holders(team)
    texts = [
        ask(page, method, path, holder.token)[1]
        for holder in everybody
        for method, path in (
            ("GET", "project"),
            ("POST", "grants"),
            ("GET", "nothing"),
            ("PUT", "search"),
        )
    ]
    texts += [repr(row) for row in team.audit.latest(500)] + [repr(row) for row in team.tokens.all()]
    texts.append(caplog.text)

    for holder in everybody:
        secret = holder.token[-43:]
        assert not any(secret in text for text in texts)


@requirement("team:operations:health")
def test_whatever_runs_it_asks_for_health_without_a_token(page: TestClient) -> None:
    assert page.get("/healthz").text == "ok\n"
    assert page.get("/readyz", headers={"Host": "10.0.0.7:8378"}).status_code == 200


def test_without_its_database_it_is_healthy_and_not_ready(
    folder: Path, env: dict[str, str], postgres_server: Server
) -> None:
    database = connected(postgres_server, limits=PoolLimits(1, 0.2, 0.2))
    team = new_team(database)
    token = token_of(team, "root", MemberRole.ADMIN)
    app = make_app(WebPage(folder, env=env), Keys(PORT), TeamTokens(team))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as page:
        database.close()

        assert page.get("/healthz").status_code == 200
        assert page.get("/readyz").status_code == 503
        assert ask(page, "GET", "project", token)[0] == 503


@requirement("team:operations:metrics")
def test_metrics_count_requests_by_route_and_never_by_id(page: TestClient, team: Team) -> None:
    root = token_of(team, "root", MemberRole.ADMIN)
    ask(page, "GET", "memories/an-id-of-a-memory", root)

    code, text = ask(page, "GET", "metrics", root)

    assert code == 200
    assert 'recollect_requests_total{code="404",method="GET",route="memories/{id}"}' in text
    assert "an-id-of-a-memory" not in text
    assert ask(page, "GET", "metrics", "")[0] == 401


def test_behind_a_proxy_its_public_address_is_accepted_and_cookies_need_tls(
    folder: Path, env: dict[str, str], team: Team
) -> None:
    public = "https://recollect.example.org"
    app = make_app(WebPage(folder, env=env), Keys(PORT), TeamTokens(team), public)
    with TestClient(app, base_url=public) as page:
        data = {"token": token_of(team, "root", MemberRole.ADMIN)}
        answer = page.post("/sign-in", data=data, headers={"Origin": public}, follow_redirects=False)

        assert answer.status_code == 303
        assert "Secure" in answer.headers["set-cookie"]
        assert page.get("/api/project").status_code == 200
        evil = page.get("/api/project", headers={"Origin": "https://evil.example"})
        assert evil.status_code == 403


@pytest.mark.parametrize("url", ["http://a.example", "https://", "https://a/b", "https://u:p@a", "a"])
def test_a_public_address_has_tls_and_nothing_but_a_host(url: str) -> None:
    with pytest.raises(InvalidConfigError, match="https://HOST"):
        public_origin(url)
