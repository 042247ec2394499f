"""A team's page in a browser: each member signs in with a token, and is offered what their role allows."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.page.browser import Site, Watched, tab
from tests.page.story import Story
from tests.page.test_shell import VIEWS
from tests.postgres import Server
from tests.requirements import requirement
from tests.samples import draft
from tests.team.holders import OPERATOR, Holder, holders
from tests.upstreams.servers import light_entry

from recollect.app.gateway import open_gateway
from recollect.app.opening import init_project, open_project
from recollect.app.team import Team
from recollect.app.team_access import open_team_of
from recollect.records.json_format import JsonObject
from recollect.records.memories import Saved
from recollect.team.roles import MemberRole, Permission

TITLE = "Sign a JWT at login"
HARBOUR = """
@tool
def raise_flag(text: str) -> str:
    "Raise a flag."
    return text
"""


@dataclass(frozen=True, slots=True)
class TeamSite:
    """A team's page, its members, a memory, and a run that waits for an approval."""

    site: Site
    team: Team
    members: dict[MemberRole, Holder]
    agent: Holder
    memory: str


@pytest.fixture(scope="module", autouse=True)  # before the browser, whose loop would be in the way
def shared(postgres_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamSite]:
    place = tmp_path_factory.mktemp("team")
    folder, home = place / "harbour", place / "home"
    for each in (folder, home):
        each.mkdir()
    env = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "RECOLLECT_DATABASE": postgres_server.url("tests"),
    }
    init_project(folder, env=env)
    recollect = open_project(folder, env=env)
    saved = recollect.memories.save(draft(TITLE))
    assert isinstance(saved, Saved)
    recollect.sessions.drafts.put("a-draft", drafted())
    site = Site(Story(folder, env, "", waiting_run(folder, env, place)))
    team = open_team_of(folder, env=env)
    team.add_member("root", MemberRole.ADMIN, OPERATOR)
    everybody = holders(team)
    members = {each.role: each for each in everybody if each.kind == "person"}
    agent = next(each for each in everybody if each.kind == "agent")
    try:
        site.start()
        yield TeamSite(site, team, members, agent, saved.stored.memory.id)
    finally:
        site.stop()


def drafted() -> JsonObject:
    content: JsonObject = {"trigger": "Paper", "steps": ["Refill it."], "verification": "It prints."}
    return {
        "category": "runbook",
        "title": "Refill the kiosk",
        "tags": ["print"],
        "content": content,
        "source": {"kind": "tool", "session": "s-9"},
    }


def waiting_run(folder: Path, env: dict[str, str], place: Path) -> str:
    """A run that somebody started on their own machine, and that waits for an approval."""
    gateway = open_gateway(env)
    gateway.add("harbour", light_entry(HARBOUR))
    gateway.refresh("harbour")
    file = place / "workflow.json"
    task = {"id": "flag", "tool": "harbour:raise_flag", "arguments": {"text": "up"}}
    file.write_text(json.dumps({"intent": "raise the flag", "tasks": [task]}), encoding="utf-8")
    command = [sys.executable, "-m", "recollect", "run", "start", str(file), "--json"]
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return str(json.loads(done.stdout)["run"])


def signed_in(browser: Browser, shared: TeamSite, role: MemberRole) -> Watched:
    """A tab in which a member of that role has signed in by the form."""
    watched = tab(browser, shared.site)
    watched.page.goto(shared.site.origin)
    watched.page.get_by_label("Your token").fill(shared.members[role].token)
    watched.page.get_by_role("button", name="Sign in").click()
    watched.page.locator("main h1").wait_for()
    watched.expect_faults("401")  # the page before anybody has signed in
    return watched


def go(watched: Watched, path: str) -> Page:
    """Go to a path; what a member may do is known when this returns."""
    with watched.page.expect_response(lambda answer: answer.url.endswith("/api/project")):
        watched.page.goto(watched.site.origin + path)
    watched.page.locator("main h1").wait_for()
    return watched.page


def expect_buttons(page: Page, *names: str, offered: bool) -> None:
    for name in names:
        expect(page.get_by_role("button", name=name)).to_have_count(int(offered))


@requirement("team:page:sign-in")
@pytest.mark.parametrize("role", list(MemberRole))
def test_each_role_sees_every_view_and_is_offered_what_it_may_do(
    browser: Browser, shared: TeamSite, role: MemberRole
) -> None:
    """A console error fails this: the page asks for nothing that is refused."""
    who = shared.members[role].principal
    watched = signed_in(browser, shared, role)
    for path, title in VIEWS.values():
        page = go(watched, path)
        expect(page.locator("main h1")).to_have_text(title)
        expect(page.get_by_text("Live", exact=True).first).to_be_visible()

    page = go(watched, f"/memories/{shared.memory}")
    expect(page.locator("article h2")).to_have_text(TITLE)
    expect_buttons(page, "Edit", "Link", "Retire", offered=who.may(Permission.WRITE_MEMORIES))

    page = go(watched, "/review")
    page.get_by_role("option").filter(has_text="Refill the kiosk").click()
    expect(page.locator("article h2")).to_have_text("Refill the kiosk")
    expect_buttons(page, "Keep", "Drop", offered=who.may(Permission.REVIEW))

    page = go(watched, f"/runs/{shared.site.story.paused}?task=flag")
    expect(page.get_by_role("region", name="Arguments of flag")).to_contain_text("up")
    expect(page.get_by_role("complementary", name="Task").get_by_text("Attempts")).to_be_visible()
    controls = who.may(Permission.CONTROL_RUNS)
    expect_buttons(page, "Abort", "Skip…", "Change arguments…", offered=controls)
    approves = who.may(Permission.APPROVE_CALLS)
    expect_buttons(page, "Approve", "Reject", offered=approves)
    expect(page.get_by_text("You cannot approve here.")).to_have_count(int(not approves))
    watched.context.close()
    assert watched.faults == []


@requirement("team:tokens:revocable")
def test_a_member_whose_token_is_revoked_is_asked_to_sign_in_again(
    browser: Browser, shared: TeamSite
) -> None:
    watched = signed_in(browser, shared, MemberRole.READ)
    page = watched.page
    expect(page.get_by_text("Live", exact=True).first).to_be_visible()

    for token in shared.team.tokens.all():
        if token.member == shared.members[MemberRole.READ].name:
            shared.team.revoke_token(token.id, OPERATOR)
    page.get_by_role("link", name="Memories").first.click()

    notice = page.get_by_role("alert").filter(has_text="Your token is no longer valid.")
    expect(notice).to_be_visible()
    assert TITLE not in page.locator("main").inner_text()
    notice.get_by_role("link", name="Sign in").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    watched.context.close()  # first, because its event stream may ask again until then
    # The parts of a view are no longer served either.
    watched.expect_faults("401", "MIME type", "dynamically imported module")
    assert watched.faults == []


@requirement("team:page:sign-in")
def test_the_tokens_of_agents_and_wrong_ones_open_no_page(browser: Browser, shared: TeamSite) -> None:
    for token in (shared.agent.token, "rct_wrong"):
        watched = tab(browser, shared.site)
        watched.page.goto(shared.site.origin + "/memories")
        watched.page.get_by_label("Your token").fill(token)
        watched.page.get_by_role("button", name="Sign in").click()
        expect(watched.page.get_by_role("alert")).to_contain_text("This token opens no page here.")
        expect(watched.page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert TITLE not in watched.page.content()
        assert token not in watched.page.content()
        watched.context.close()
