"""Runs on the page: a person decides about calls of real runs, and sees them go on."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.page.browser import PHONE, Site, Watched, tab
from tests.requirements import requirement
from tests.upstreams.servers import light_entry

from recollect.app.gateway import open_gateway

# Milliseconds: last ticks at the end of the axis and before it, in every unit; one is too short for a tick.
DURATIONS = (0.4, 6, 6.99, 333, 1000, 5_999, 12_100, 59_000, 90_000, 3_599_000, 1.9e7, 2.6e8, 4.3e10)
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
STICKING_OUT = """
(frames) => frames.flatMap((frame) => [...frame.children]
  .filter((child) => child.getBoundingClientRect().right > frame.getBoundingClientRect().right + 0.5)
  .map((child) => `${child.className} ${child.textContent} ${child.style.cssText}`))
"""
HARBOUR = f"""
import os

@tool(read_only=True)
def await_ship(mark: str) -> str:
    "Wait until a ship is in."
    while not os.path.exists(mark):
        cancelled(0.02)
    return "it is in"

@tool
def raise_flag(text: str) -> str:
    "Raise a flag. {MARKUP.replace('"', chr(39))}"
    return {MARKUP!r}
"""


@pytest.fixture(scope="module", autouse=True)
def harbour(site: Site) -> None:
    """A server whose calls wait for a file, or for a person."""
    gateway = open_gateway(site.story.env)
    gateway.add("harbour", light_entry(HARBOUR))
    gateway.refresh("harbour")


def recollect(site: Site, folder: Path, *tasks: dict[str, Any], intent: str) -> subprocess.Popen[str]:
    """`recollect run start` in a process of its own."""
    file = folder / "workflow.json"
    file.write_text(json.dumps({"intent": intent, "tasks": tasks}), encoding="utf-8")
    command = [sys.executable, "-m", "recollect", "run", "start", str(file), "--json"]
    return subprocess.Popen(
        command,
        cwd=site.story.folder,
        env=dict(site.story.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def flag(**rest: object) -> dict[str, Any]:
    return {"id": "flag", "tool": "harbour:raise_flag", "arguments": {"text": MARKUP}, **rest}


@pytest.fixture
def paused(site: Site, tmp_path: Path) -> str:
    """A run that waits for an approval, whose process has ended."""
    process = recollect(site, tmp_path, flag(), intent="raise the flag")
    output, _ = process.communicate(timeout=60)
    return str(json.loads(output)["run"])


@pytest.fixture
def agents_site(site: Site) -> Iterator[Site]:
    """The same project, where an agent's harness started the page."""
    started = Site(site.story, agent="claude")
    try:
        started.start()
        yield started
    finally:
        started.stop()


def row(page: Page, task: str) -> Any:
    return page.get_by_role("table", name="Tasks").get_by_role("row", name=re.compile(task))


def is_inert(page: Page) -> bool:
    return bool(page.evaluate("!document.querySelector('main img') && document.title !== 'owned'"))


@requirement("page:views:runs")
@requirement("page:runs:commands")
def test_a_person_approves_a_call_of_a_run_of_another_process_and_sees_it_finish(
    watched: Watched, tmp_path: Path
) -> None:
    page, mark = watched.open("/runs"), tmp_path / "ship"
    ship = {"id": "ship", "tool": "harbour:await_ship", "arguments": {"mark": str(mark)}}
    done = {"id": "done", "tool": "bookings:weather", "arguments": {"port": "EMDEN"}, "needs": ["flag"]}
    process = recollect(watched.site, tmp_path, ship, flag(), done, intent="greet the ship")
    try:
        page.get_by_role("option", name=re.compile("greet the ship")).click()
        approval = page.get_by_role("region", name="Approval of flag")
        expect(approval).to_contain_text("Call raise_flag of the server harbour?")
        expect(page.locator("main h1")).to_have_text("greet the ship")
        second = watched.context.new_page()
        second.goto(page.url)
        expect(second.get_by_role("button", name="Approve", exact=True)).to_be_visible()
        page.bring_to_front()
        page.reload()
        expect(row(page, "flag")).to_contain_text("waiting approval")
        expect(approval).to_be_visible()
        expect(page.get_by_role("img", name="Tasks of the run: 3 nodes, 1 links")).to_be_visible()

        page.keyboard.press("a")
        expect(page.get_by_role("button", name="Approve", exact=True)).to_be_focused()
        page.keyboard.press("Enter")

        for each in (page, second):
            expect(row(each, "flag")).to_contain_text("succeeded")
            expect(each.get_by_role("region", name="Approval of flag")).to_have_count(0)
            expect(row(each, "done")).to_contain_text("succeeded")
            expect(each.locator(".page-subtitle")).to_contain_text("2 of 3 tasks ended")
        mark.touch()
        for each in (page, second):
            expect(each.locator(".page-subtitle")).to_contain_text("succeeded3 of 3 tasks ended")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
    _look_at_the_parts(page)


def _look_at_the_parts(page: Page) -> None:
    """What went in and came out, the timeline and the events of the run that just finished."""
    row(page, "flag").click()
    panel = page.get_by_role("complementary", name="Task")
    expect(panel.get_by_role("region", name="output")).to_contain_text("<img src=x onerror=")
    assert is_inert(page)
    page.get_by_role("tab", name="Timeline").click()
    expect(page.locator(".gantt-path")).to_contain_text("ship")
    waited = page.get_by_role("button", name=re.compile("^flag: succeeded.*waiting for a person"))
    expect(waited).to_be_visible()
    page.get_by_role("button", name="Without waiting").click()
    page.reload()
    expect(waited).to_have_attribute("aria-pressed", "true")
    page.get_by_role("tab", name="Events").click()
    decided = page.get_by_role("listitem").filter(has_text="approval decided")
    decided.get_by_role("button", name="Details").click()
    expect(decided).to_contain_text('"by": "person, HTTP"')


@requirement("page:runs:commands")
def test_a_person_rejects_changes_grants_and_aborts(watched: Watched, paused: str) -> None:
    page = watched.open(f"/runs/{paused}?task=flag")
    page.get_by_role("button", name="Grant later calls…").click()
    dialog = page.get_by_role("dialog")
    patterns = dialog.get_by_role("textbox", name="Patterns by argument")
    assert json.loads(patterns.input_value()) == {"text": MARKUP}
    patterns.fill("{")
    dialog.get_by_role("button", name="Grant", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not valid JSON")
    patterns.fill('{"text": "welcome*"}')
    dialog.get_by_role("button", name="Grant", exact=True).click()
    expect(page.get_by_text("Granted 1 call of harbour:raise_flag.")).to_be_visible()

    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_text("A task failed.")).to_be_visible()
    expect(row(page, "flag")).to_contain_text("failed")

    page.get_by_role("button", name="Change arguments…").click()
    dialog.get_by_role("textbox", name="Arguments").fill('{"text": "farewell"}')
    dialog.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("region", name="Approval of flag")).to_contain_text("farewell")

    page.get_by_role("button", name="Abort").click()
    page.get_by_role("button", name="Abort the run").click()
    expect(page.locator(".page-subtitle")).to_contain_text("aborted")
    expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)


@requirement("page:local:person")
def test_where_an_agent_started_the_page_there_is_nothing_to_approve_with(
    browser: Browser, agents_site: Site
) -> None:
    watched = tab(browser, agents_site)
    page = watched.open(f"/runs/{agents_site.story.paused}")
    expect(page.get_by_role("region", name="Approval of refund")).to_be_visible()
    expect(page.get_by_text("You cannot approve here.")).to_be_visible()
    expect(page.get_by_text(re.compile("claude .* started this command"))).to_be_visible()
    for name in ("Approve", "Reject", "Grant later calls…"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    assert watched.faults == []
    watched.context.close()


@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_run_is_accessible_and_fits_a_phone(browser: Browser, site: Site, theme: str) -> None:
    watched = tab(browser, site, PHONE)
    watched.theme("dark" if theme == "dark" else "light")
    run = site.story.paused
    for path in (f"/runs/{run}?task=bookings", f"/runs/{run}?tab=timeline", f"/runs/{run}?tab=events"):
        page = watched.open(path)
        expect(page.locator(".skeleton")).to_have_count(0)
        assert watched.violations() == [], path
        assert watched.overflow() == 0, path
    assert watched.faults == []
    watched.context.close()


@requirement("page:readable:sizes")
def test_the_timeline_fits_a_phone_however_long_the_run_took(browser: Browser, site: Site) -> None:
    """Only the total changes, so bars lie anywhere, also at the end."""
    watched = tab(browser, site, PHONE)
    total = 0.0

    def stretched(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "milliseconds": total})

    watched.page.route("**/timeline", stretched)
    page = watched.open("/runs")
    for total in DURATIONS:
        page.goto(f"{site.origin}/runs/{site.story.paused}?tab=timeline")
        expect(page.locator(".gantt-axis")).to_be_visible()
        outside = page.locator(".gantt-axis, .gantt-track").evaluate_all(STICKING_OUT)
        assert outside == [], total
        assert watched.overflow() == 0, total
    assert watched.faults == []
    watched.context.close()
