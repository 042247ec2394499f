"""The graph in a browser: from search to neighbours and reasons, through time, live, and as a list."""

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.page.browser import PHONE, Site, Watched, tab
from tests.requirements import requirement

from recollect.app.opening import open_project
from recollect.ids import UnifiedId
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import Link, LinkType

MARKUP = "<img src=x onerror=alert(1)> & <b>bold</b>"
RULE, CACHE = "the-booking-api-answers-within-300-ms", "cache-prices-for-a-minute"


def nodes(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in page.get_by_role("option").all_inner_texts()]


@requirement("page:graph:list")
@requirement("page:graph:why")
def test_a_person_searches_expands_asks_why_and_finds_it_all_after_a_reload(watched: Watched) -> None:
    page = watched.open("/graph")
    picture = page.get_by_role("img", name="Memories and skills")
    expect(picture).to_be_visible()
    expect(page.get_by_role("option", name="Load test Skill")).to_be_visible()

    page.keyboard.press("/")
    page.keyboard.type("prices minute")
    expect(page.get_by_role("option")).to_have_count(1)
    page.get_by_role("option").click()
    selected = page.get_by_role("region", name="Selected")
    expect(selected.get_by_role("heading")).to_have_text("Cache prices for a minute")
    expect(picture).to_have_attribute("aria-label", "Memories and skills: 4 nodes, 3 links")

    page.keyboard.press("w")
    expect(selected).to_contain_text("supersedes")
    expect(selected).to_contain_text("caused by")
    expect(selected).to_contain_text("the month view took 1.8 s")
    for _ in range(2):
        expect(selected.get_by_role("button", name="Why?")).to_have_attribute("aria-pressed", "true")
        page.reload()
    selected.get_by_role("button", name="The booking API answers").click()
    page.keyboard.press("e")
    expect(page.get_by_role("option", name="Partners get webhooks")).to_be_visible()
    expect(page).to_have_url(f"{watched.site.origin}/graph?around={CACHE}+{RULE}&select={RULE}")
    page.go_back()
    expect(page.get_by_role("option", name="Partners get webhooks")).to_have_count(0)
    page.get_by_role("button", name="Show everything").click()
    expect(page.get_by_role("option", name="Load test Skill")).to_be_visible()


@requirement("page:graph:list")
@requirement("page:graph:timeline")
def test_the_keyboard_moves_through_the_list_and_filters_and_days_hide_nodes(watched: Watched) -> None:
    page = watched.open("/graph")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.get_by_role("option", selected=True)).to_have_count(1)
    title = page.get_by_role("option", selected=True).inner_text().split("\n")[0]
    expect(page.get_by_role("region", name="Selected").get_by_role("heading")).to_have_text(title)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Hide neighbours")).to_be_visible()
    page.keyboard.press("a")

    legend = page.get_by_role("group", name="Kinds")
    legend.get_by_role("button", name="Skill").click()
    expect(page.get_by_role("option", name="Load test Skill")).to_have_count(0)
    page.get_by_role("group", name="Links").get_by_role("button", name="caused").click()
    page.reload()
    expect(legend.get_by_role("button", name="Skill")).to_have_attribute("aria-pressed", "false")

    slider = page.get_by_role("slider", name="As of")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("option", name="A waiting room")).to_have_count(0)
    early = len(nodes(page))
    expect(slider).not_to_have_attribute("aria-valuetext", "now")
    page.reload()
    expect(page.get_by_role("option")).to_have_count(early)
    page.get_by_role("button", name="Now").click()
    expect(page.get_by_role("option", name="A waiting room")).to_be_visible()


def test_a_new_link_appears_by_itself_and_markup_in_a_title_is_text(watched: Watched) -> None:
    page, story = watched.open(f"/graph?around={RULE}"), watched.site.story
    expect(page.get_by_role("option").first).to_be_visible()
    project = open_project(story.folder, env=story.env)
    content: JsonObject = {"status": "accepted", "context": "x", "decision": "x", "rationale": ["x"]}
    document: dict[str, Json] = {
        "id": "markup",
        "category": "decision",
        "title": MARKUP,
        "tags": ["x"],
        "content": content,
    }
    project.memories.save(Draft(document))
    try:
        project.memories.link("markup", Link(LinkType.DERIVED_FROM, UnifiedId(f"mem:{RULE}"), MARKUP))
        row = page.get_by_role("option", name=MARKUP)
        expect(row).to_be_visible()
        row.click()
        selected = page.get_by_role("region", name="Selected")
        expect(selected.get_by_role("heading")).to_have_text(MARKUP)
        expect(selected.locator("q")).to_have_text(MARKUP)
        assert page.locator("main img[src], main b").count() == 0
    finally:
        (story.folder / project.memories.get("markup").path).unlink()
    expect(page.get_by_role("option", name=MARKUP)).to_have_count(0)


@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_graph_with_a_selection_is_accessible_and_fits_a_phone(
    browser: Browser, site: Site, theme: str
) -> None:
    phone = tab(browser, site, PHONE)
    phone.theme("dark" if theme == "dark" else "light")
    page = phone.open(f"/graph?around={RULE}&select={RULE}&why=1")
    expect(page.get_by_role("region", name="Selected")).to_contain_text("What led to it")
    assert phone.violations() == []
    assert phone.overflow() == 0
    phone.size((2560, 1440))
    assert phone.violations() == []
    assert phone.faults == []
    phone.context.close()
