"""The frame of the page: going about by keyboard, themes, sizes, and a server that goes away."""

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.page.browser import PHONE, WIDE, Site, Watched, tab
from tests.requirements import requirement

PALETTE = "Search commands and memories"
VIEWS = {
    "o": ("/", "Overview"),
    "m": ("/memories", "Memories"),
    "r": ("/review", "Review"),
    "s": ("/session", "Session"),
    "g": ("/graph", "Graph"),
    "t": ("/tools", "Tools"),
    "u": ("/runs", "Runs"),
    "e": ("/traces", "Traces"),
}


@requirement("page:views:seven")
@requirement("page:views:keyboard")
def test_every_view_is_reached_by_two_keys_and_stays_after_a_reload(watched: Watched) -> None:
    page = watched.open("/runs")
    for key, (path, title) in VIEWS.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.locator("main h1")).to_have_text(title)
        expect(page).to_have_url(watched.site.origin + path)
        expect(page).to_have_title(f"{title} · Recollect")
    page.reload()
    expect(page.locator("main h1")).to_have_text("Traces")
    page.go_back()
    expect(page.locator("main h1")).to_have_text("Runs")
    page.goto(watched.site.origin + "/nowhere/at/all")
    expect(page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()


@requirement("page:views:keyboard")
def test_the_palette_goes_to_a_view_searches_memories_and_closes_again(watched: Watched) -> None:
    page = watched.open()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name=PALETTE)
    expect(field).to_be_focused()
    field.fill("rev")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_have_text("Review")

    page.keyboard.press("Control+k")
    field.fill("kiosk tickets")
    page.get_by_role("option", name="Search memories for").click()
    expect(page).to_have_url(watched.site.origin + "/memories?q=kiosk+tickets")

    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    page.locator("main h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Search in this view")


def test_the_theme_follows_the_system_until_a_person_chooses_one(watched: Watched) -> None:
    page = watched.open()
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    watched.theme("dark")
    expect(root).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Use the light theme").first.click()
    expect(root).to_have_attribute("data-theme", "light")
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")


@requirement("page:readable:sizes")
def test_a_phone_has_a_bar_below_and_nothing_is_wider_than_the_screen(
    browser: Browser, site: Site
) -> None:
    phone = tab(browser, site, PHONE)
    page = phone.open()
    bar = page.get_by_role("navigation", name="Views, short")
    for title in ("Memories", "Review", "Session", "Overview"):
        bar.get_by_role("link", name=title).click()
        expect(page.locator("main h1")).to_have_text(title)
        expect(page.locator("main .skeleton")).to_have_count(0)
        assert phone.overflow() == 0, title
    for title in ("Graph", "Tools", "Runs", "Traces"):
        bar.get_by_role("button", name="More").click()
        page.get_by_role("dialog").get_by_role("link", name=title).click()
        expect(page.locator("main h1")).to_have_text(title)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("main .skeleton")).to_have_count(0)
        assert phone.overflow() == 0, title
    phone.size((2560, 1440))
    assert phone.overflow() == 0
    assert phone.faults == []
    phone.context.close()


@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(watched: Watched, theme: str) -> None:
    watched.theme("dark" if theme == "dark" else "light")
    page = watched.open()
    for path, title in VIEWS.values():
        page.goto(watched.site.origin + path)
        expect(page.locator("main h1")).to_have_text(title)
        expect(page.locator(".skeleton")).to_have_count(0)
        assert watched.violations() == [], title
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name=PALETTE)).to_be_visible()
    assert watched.violations() == []


@requirement("page:live:recovers")
def test_a_page_says_that_its_server_is_gone_and_recovers_when_it_is_back(watched: Watched) -> None:
    page, site = watched.open("/memories"), watched.site
    state = page.locator(".rail .connection")
    expect(state).to_have_text("Live")
    site.stop()
    expect(state).to_have_text("Disconnected")
    notice = page.locator(".notice[role=alert]")
    expect(notice).to_contain_text("does not answer")
    site.start()
    expect(notice).to_contain_text("no longer signed in")

    second = watched.context.new_page()
    second.goto(site.address)
    expect(state).to_have_text("Live")
    expect(notice).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("^Memories"))).to_have_attribute(
        "aria-current", "page"
    )
    watched.expect_offline()
    watched.expect_faults("401")
    assert watched.page.viewport_size == {"width": WIDE[0], "height": WIDE[1]}
