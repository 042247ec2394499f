"""Tools on the page: decide about a changed tool, find what uses a tool, and run code that worked."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.page.browser import PHONE, Site, Watched, tab
from tests.requirements import requirement
from tests.upstreams.servers import light_entry

from recollect.app.gateway import open_gateway
from recollect.app.run_store import open_run_store
from recollect.learning.capabilities import Capability

MARKUP = "<img src=x onerror=\"document.title='owned'\">"
LIGHTHOUSE = f"""
@tool
def lamp(colour: str) -> str:
    "Light the lamp. {MARKUP.replace('"', chr(39))}"
    return "lit"
"""


@pytest.fixture(scope="module", autouse=True)
def lighthouse(site: Site) -> None:
    """A tool that changed since it was accepted, and a capability that shares a tool with others."""
    gateway = open_gateway(site.story.env)
    for script in (LIGHTHOUSE, LIGHTHOUSE.replace("Light the lamp.", "Light every lamp.")):
        gateway.add("lighthouse", light_entry(script), replace=True)
        gateway.refresh("lighthouse")
    store = open_run_store(gateway, site.story.folder)
    code = f"# {MARKUP}\nawait bookings_find_bookings(sailing=sailing)\n"
    tools = ("bookings:find_bookings", "bookings:weather")
    store.capabilities.put(
        Capability(
            "watch_the_wind", "0" * 64, f"watch {MARKUP}", code, {"sailing": "JUIST-0900"}, tools
        )
    )


@requirement("page:views:tools")
@requirement("page:tools:run")
def test_copies_of_a_tool_light_up_together_and_a_capability_runs(watched: Watched) -> None:
    page = watched.open("/tools")
    capabilities = page.get_by_role("list", name="Capabilities", exact=True)
    expect(capabilities.get_by_role("button", name="bookings:find_bookings")).to_have_count(3)
    expect(
        page.get_by_role("img", name=re.compile("Capabilities and their tools: 11 nodes"))
    ).to_be_visible()

    capabilities.get_by_role("button", name="bookings:find_bookings").first.click()
    pressed = capabilities.locator(".tools-chip[aria-pressed=true]")
    expect(pressed).to_have_count(3)
    users = page.get_by_role("list", name="Capabilities with bookings:find_bookings")
    expect(users.get_by_role("button")).to_have_count(3)
    page.get_by_role("button", name="Close watch_the_wind").click()
    expect(
        page.get_by_role("img", name=re.compile("Capabilities and their tools: 9 nodes"))
    ).to_be_visible()
    page.reload()
    expect(pressed).to_have_count(2)

    users.get_by_role("button", name="watch_the_wind").click()
    panel = page.get_by_role("complementary", name="Selected")
    expect(panel.get_by_role("region", name="code")).to_contain_text("<img src=x onerror=")
    assert page.evaluate("!document.querySelector('main img') && document.title !== 'owned'")
    panel.get_by_role("textbox", name="Parameters").fill('{"sailing": "BORKUM-1300"}')
    expect(panel.get_by_role("region", name="command")).to_contain_text(
        """recollect capability run watch_the_wind --set 'sailing="BORKUM-1300"'"""
    )
    panel.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/run-"))
    expect(page.locator(".page-subtitle")).to_contain_text("succeeded")


@requirement("page:tools:review")
def test_a_person_accepts_a_changed_tool_after_reading_what_changed(watched: Watched) -> None:
    page = watched.open("/tools?tab=review")
    card = page.get_by_role("region", name="Review of lighthouse:lamp", exact=True)
    difference = card.get_by_role("region", name="What changed in lighthouse:lamp")
    expect(difference).to_contain_text("added: ")
    expect(difference).to_contain_text("Light every lamp. <img src=x")
    card.get_by_role("button", name="Reject").click()
    expect(card).to_contain_text("You rejected this version")
    second = watched.context.new_page()
    second.goto(page.url)
    other = second.get_by_role("region", name="Review of lighthouse:lamp", exact=True)
    expect(other).to_contain_text("rejected")

    card.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Accept the change").click()
    for each in (card, other):
        expect(each.get_by_role("button", name="Accept")).to_have_count(0)
    assert page.evaluate("!document.querySelector('main img') && document.title !== 'owned'")

    page.get_by_role("tab", name="Servers").click()
    page.get_by_role("row", name=re.compile("lighthouse")).click()
    tools = page.get_by_role("table", name="Tools")
    expect(tools.get_by_role("row", name=re.compile("lamp"))).to_contain_text("pinned")


@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tools_are_accessible_and_fit_a_phone(browser: Browser, site: Site, theme: str) -> None:
    watched = tab(browser, site, PHONE)
    watched.theme("dark" if theme == "dark" else "light")
    for query in (
        "?capability=watch_the_wind&tool=bookings:weather",
        "?tab=servers",
        "?tab=review",
        "?tab=receipts",
    ):
        page = watched.open(f"/tools{query}")
        expect(page.get_by_role("tabpanel")).to_be_visible()
        expect(page.locator(".skeleton")).to_have_count(0)
        assert watched.violations() == [], query
        assert watched.overflow() == 0, query
    assert watched.faults == []
    watched.context.close()
