"""Who may use the page: whoever opened it with its token, from this machine, on this page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.requirements import requirement
from tests.web.conftest import CHANGE, PORT, opened

from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage


@pytest.fixture
def stranger(folder: Path, env: dict[str, str], wall: Wall) -> Iterator[TestClient]:
    """A browser that has not opened the page."""
    app = make_app(WebPage(folder, env=env, clock=wall), Keys(PORT))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
        yield client


@requirement("page:local:token")
def test_the_token_opens_the_page_once_and_a_cookie_takes_its_place(
    folder: Path, env: dict[str, str], wall: Wall
) -> None:
    keys = Keys(PORT)
    app = make_app(WebPage(folder, env=env, clock=wall), keys)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
        first = client.get("/", params={"token": keys.token}, follow_redirects=False)
        later = client.get("/api/project")
        program = TestClient(app, base_url=f"http://127.0.0.1:{PORT}").get(
            "/api/openapi.json", headers={"Authorization": f"Bearer {keys.token}"}
        )

    cookie = first.headers["set-cookie"]
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert keys.token not in cookie
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert cookie.startswith(f"recollect-{PORT}=")
    assert (later.status_code, program.status_code) == (200, 200)
    assert keys.token not in repr(keys)


@requirement("page:local:token")
def test_without_the_token_nothing_is_shown(stranger: TestClient) -> None:
    paths = ["/", "/memories", "/assets/x.js", "/?token=", "/?token=wrong", "/?token=%ff&token=x"]
    pages = [stranger.get(path, follow_redirects=False) for path in paths]
    wrong_cookie = stranger.get("/api/project", headers={"Cookie": f"recollect-{PORT}=wrong"})
    bad_cookie = stranger.get("/api/project", headers=[(b"Cookie", b"recollect-8378=\xe9; a=\x01")])
    bearer = stranger.get("/api/project", headers={"Authorization": "Bearer wrong"})

    assert [page.status_code for page in pages] == [401] * len(pages)
    assert all("recollect web" in page.text for page in pages)
    assert [each.status_code for each in (wrong_cookie, bad_cookie, bearer)] == [401] * 3
    assert "set-cookie" not in pages[4].headers


@requirement("page:local:origin")
def test_requests_for_another_host_or_from_another_site_are_refused(browser: TestClient) -> None:
    path, command = "/api/runs", "/api/runs/run-1/commands"
    body = {"name": "pause"}

    assert browser.get(path, headers={"Host": "evil.example"}).status_code == 421
    assert browser.get("/", headers={"Host": f"evil.example:{PORT}"}).status_code == 421
    assert browser.get(path, headers={"Host": "127.0.0.1"}).status_code == 421
    assert browser.get(path, headers={"Origin": "http://evil.example"}).status_code == 403
    assert browser.get(path, headers={"Origin": "null"}).status_code == 403
    assert browser.get(path, headers={"Origin": "http://127.0.0.1:1"}).status_code == 403
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site}
        assert browser.get(path, headers=headers).status_code == 403
        assert browser.post(command, json=body, headers=CHANGE | headers).status_code == 403
    own = {"Origin": f"http://localhost:{PORT}", "Sec-Fetch-Site": "same-origin"}
    assert browser.post(command, json=body, headers=CHANGE | own).status_code == 404


@requirement("page:local:csrf")
def test_a_change_needs_our_header_and_json(browser: TestClient) -> None:
    command, body = "/api/runs/run-1/commands", '{"name": "pause"}'
    forms = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]

    assert browser.post(command, json={"name": "pause"}).status_code == 403
    for kind in forms:
        headers = CHANGE | {"Content-Type": kind}
        assert browser.post(command, content=body, headers=headers).status_code == 400
    assert browser.post(command, json={"name": "pause"}, headers=CHANGE).status_code == 404


@requirement("page:local:policy")
def test_every_answer_is_protected_from_what_it_contains(browser: TestClient) -> None:
    for path in ("/", "/api/project", "/api/nothing", "/assets/nothing", "/api/runs/x"):
        headers = browser.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


@requirement("page:local:policy")
def test_markup_in_an_address_is_never_part_of_a_page(browser: TestClient) -> None:
    markup = "<script>alert(1)</script>"
    for path in (f"/api/runs/{markup}", f"/api/{markup}", f"/api/runs?{markup}=1", f"/{markup}"):
        answer = browser.get(path)
        assert markup not in answer.text or answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"


@requirement("page:local:bodies")
def test_a_body_that_is_too_large_is_not_read(browser: TestClient) -> None:
    def pieces() -> Iterator[bytes]:  # without a length
        for _ in range(5):
            yield b"[" * 1_000_000

    headers = CHANGE | {"Content-Type": "application/json"}
    stated = browser.post("/api/grants", content=b"[" * 5_000_000, headers=headers)
    unstated = browser.post("/api/grants", content=pieces(), headers=headers)
    deep = browser.post("/api/grants", content=b"[" * 1_000_000, headers=headers)

    assert (stated.status_code, unstated.status_code, deep.status_code) == (413, 413, 400)


@requirement("page:local:person")
def test_where_an_agent_started_the_page_nothing_can_be_approved(
    folder: Path, env: dict[str, str], wall: Wall
) -> None:
    grant = {"tool": "a:b", "arguments": {}, "uses": 1, "minutes": 5}
    with opened(WebPage(folder, "an agent started this", env, wall)) as browser:
        refused = browser.post("/api/grants", json=grant, headers=CHANGE)
        shown = browser.get("/api/project").json()
    with opened(WebPage(folder, env=env, clock=wall)) as browser:
        granted = browser.post("/api/grants", json=grant, headers=CHANGE)

    assert (refused.status_code, granted.status_code) == (403, 200)
    assert shown["approval_refusal"] == "an agent started this"


@pytest.mark.parametrize("minutes", [0, -5, -(10**9), -(10**18), 527_040])
@pytest.mark.parametrize("uses", [1, 0, 10**18])
def test_a_grant_of_any_size_is_made_or_refused_with_a_reason(
    browser: TestClient, minutes: int, uses: int
) -> None:
    grant = {"tool": "a:b", "arguments": {}, "uses": uses, "minutes": minutes}

    answer = browser.post("/api/grants", json=grant, headers=CHANGE)

    assert answer.status_code == (200 if minutes > 0 and uses == 1 else 409)
