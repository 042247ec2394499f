"""Memories in a browser: searched as they are typed, edited while others edit them, linked and retired."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.page.browser import PHONE, WIDE, Site, Watched, tab
from tests.page.copies import copied_site, elsewhere
from tests.page.story import Story
from tests.requirements import requirement
from tests.samples import draft

from recollect.records.memories import Saved

CACHE = "cache-prices-for-a-minute"
MARKUP = "<img src=x onerror=\"document.title='broken'\"> & <b>bold</b>"


@pytest.fixture(scope="module")
def site(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A copy of the story: these tests write memories."""
    with copied_site(story, tmp_path_factory.mktemp("memories")) as site:
        yield site


def saved(site: Site, title: str, **fields: Any) -> str:
    """Save a memory in another process; its id."""
    result = elsewhere(site).memories.save(draft(title, **fields), allow_repeat=True)
    assert isinstance(result, Saved)
    return result.stored.memory.id


def rows(page: Page) -> Locator:
    """The memories that are listed."""
    return page.get_by_role("listbox").get_by_role("option")


def retitle(site: Site, id: str, title: str) -> None:
    elsewhere(site).memories.edit(id, lambda _: {"title": title}, "Edited elsewhere")


@requirement("page:memories:search")
def test_a_search_runs_as_it_is_typed_and_is_read_by_keyboard(watched: Watched) -> None:
    page = watched.open("/memories")
    expect(rows(page).first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("slow prices")

    hits = page.get_by_role("listbox", name="Search results")
    expect(hits.get_by_role("option", name="Cache prices for a minute")).to_be_visible()
    expect(hits.get_by_role("img", name="Score: Words").first).to_be_visible()
    expect(page).to_have_url(watched.site.origin + "/memories?q=slow+prices")

    page.keyboard.press("Tab")
    page.locator("main h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    title = hits.get_by_role("option", selected=True).locator(".memories-row-title").inner_text()
    expect(page.locator(".memories-head h2")).to_have_text(title)
    page.get_by_role("tab", name="Why it was found").click()
    page.reload()
    expect(page.locator(".memories-head h2")).to_have_text(title)
    expect(page.get_by_role("tab", name="Why it was found")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("article")).to_have_count(0)
    expect(hits).to_be_visible()

    page.get_by_label("Search memories").fill("")
    page.get_by_label("Category").select_option("tech_debt")
    page.get_by_role("button", name="Not in force").click()
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("Seat maps are drawn by hand")


@requirement("page:memories:conflict")
@requirement("page:memories:validation")
def test_an_edit_survives_a_change_on_disk_and_a_reload_and_is_saved_with_a_diff(
    watched: Watched,
) -> None:
    id = saved(watched.site, "Print two tickets", tags=["print"])
    page = watched.open(f"/memories/{id}")
    page.locator("article").wait_for()
    page.keyboard.press("e")
    field = page.get_by_label("Title", exact=True)
    field.fill("")
    expect(page.get_by_role("alert")).to_have_text("Must not be empty.")
    expect(page.get_by_role("button", name="Review and save")).to_be_disabled()
    field.fill("Print two tickets for groups")
    page.get_by_label("Tags").fill("groups")
    page.keyboard.press("Enter")

    elsewhere(watched.site).memories.edit(
        id, lambda old: {"title": "Print three", "content": old.content | {"decision": "Three."}}, "x"
    )
    conflict = page.get_by_role("alert", name="Conflict")
    expect(conflict).to_contain_text("Changed there only: Decision")
    expect(conflict.get_by_role("region", name="Title: on disk and yours")).to_contain_text(
        "Print three"
    )
    page.reload()
    expect(field).to_have_value("Print two tickets for groups")
    expect(conflict).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Continue").click()
    conflict.get_by_role("button", name="Continue with these").click()
    expect(conflict).to_have_count(0)

    page.get_by_role("button", name="Review and save").click()
    changes = page.get_by_role("dialog", name="Save these changes?")
    expect(changes.get_by_role("region", name="Change of Title")).to_contain_text("Print three")
    changes.get_by_role("button", name="Save").click()
    expect(page.locator(".memories-head h2")).to_have_text("Print two tickets for groups")
    memory = elsewhere(watched.site).get(id).memory
    assert (memory.title, memory.tags) == ("Print two tickets for groups", ("print", "groups"))
    assert memory.content["decision"] == "Three."

    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memories-head h2")).to_have_text("Print three")
    page.get_by_role("tab", name="History").click()
    expect(page.get_by_text("Changed title, tags").first).to_be_visible()


@requirement("page:memories:conflict")
def test_a_conflict_that_only_the_server_noticed_is_shown_too(watched: Watched) -> None:
    id = saved(watched.site, "Fold the ticket")
    watched.page.route("**/api/events", lambda route: route.abort())
    page = watched.open(f"/memories/{id}?edit=1")
    page.get_by_label("Title", exact=True).fill("Fold the ticket twice")
    retitle(watched.site, id, "Do not fold the ticket")
    page.get_by_role("button", name="Review and save").click()
    page.get_by_role("dialog").get_by_role("button", name="Save").click()

    conflict = page.get_by_role("alert", name="Conflict")
    conflict.get_by_role("button", name="Take theirs").click()
    conflict.get_by_role("button", name="Continue with these").click()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Do not fold the ticket")
    assert elsewhere(watched.site).get(id).memory.title == "Do not fold the ticket"
    watched.expect_faults("409", "ERR_FAILED")


@requirement("page:memories:live")
def test_a_memory_with_markup_comes_and_changes_in_two_tabs_and_is_only_text(
    browser: Browser, watched: Watched
) -> None:
    page, other = watched.open("/memories"), tab(browser, watched.site)
    second = other.open("/memories")
    expect(rows(page).first).to_be_visible()

    id = saved(watched.site, MARKUP, tags=["<script>alert(1)</script>"], content={"decision": MARKUP})

    for each in (page, second):
        expect(rows(each).first).to_contain_text(MARKUP)
    rows(second).first.click()
    expect(second.locator(".memories-head h2")).to_have_text(MARKUP)
    expect(second.get_by_role("definition").filter(has_text=MARKUP)).to_be_visible()
    assert second.locator("main img[src='x'], main script, article b").count() == 0
    retitle(watched.site, id, f"{MARKUP} again")
    expect(second.locator(".memories-head h2")).to_have_text(f"{MARKUP} again")
    expect(rows(page).first).to_contain_text(f"{MARKUP} again")
    expect(second).to_have_title("Memories · Recollect")
    assert other.faults == []
    other.context.close()


def test_a_memory_is_linked_and_retired_and_both_are_undone(watched: Watched) -> None:
    site = watched.site
    id = saved(site, "Ring the bell at noon")
    page = watched.open(f"/memories/{id}")
    page.locator("article").wait_for()
    page.keyboard.press("l")
    page.get_by_label("How").select_option("supports")
    page.get_by_label("Which memory").fill("cache prices")
    page.get_by_role("button", name="Cache prices for a minute").click()
    page.get_by_role("dialog").get_by_role("button", name="Link", exact=True).click()
    expect(page.get_by_role("link", name="Cache prices for a minute")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("link", name="Cache prices for a minute")).to_have_count(0)

    page.keyboard.press("x")
    page.get_by_label("Why").fill("The bell is gone")
    page.keyboard.press("Enter")
    expect(page.get_by_text("retired", exact=True)).to_be_visible()
    assert elsewhere(site).get(id).memory.status == "retired"
    page.keyboard.press("u")
    expect(page.get_by_text("in force", exact=True)).to_be_visible()
    assert elsewhere(site).get(id).memory.status == "active"


@requirement("page:memories:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_list_a_memory_and_its_form_are_accessible_at_every_size(
    watched: Watched, theme: str
) -> None:
    watched.theme("dark" if theme == "dark" else "light")
    page = watched.open("/memories?q=prices")
    steps = ((f"/memories/{CACHE}?q=prices", "article"), (f"/memories/{CACHE}?edit=1", "form"))
    for path, element in (("/memories?q=prices", "[role=option]"), *steps):
        page.goto(watched.site.origin + path)
        page.locator(element).first.wait_for()
        expect(page.locator(".skeleton")).to_have_count(0)
        for size in (WIDE, PHONE):
            watched.size(size)
            assert watched.overflow() == 0, path
        assert watched.violations() == [], path
        watched.size(WIDE)
    _check_dialog(page, watched)


def _check_dialog(page: Page, watched: Watched) -> None:
    page.get_by_label("Title", exact=True).fill("Cache prices for two minutes")
    page.get_by_role("button", name="Review and save").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert watched.violations() == []
