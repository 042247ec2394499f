"""Review in a browser: everything that waits for a person, decided by keyboard and taken back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.page.browser import PHONE, WIDE, Site, Watched, tab
from tests.page.copies import copied_site, elsewhere
from tests.page.story import Story
from tests.requirements import requirement

MARKUP = "<img src=x onerror=\"document.title='broken'\"> ran out"


@pytest.fixture(scope="module")
def site(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A copy of the story: these tests decide."""
    with copied_site(story, tmp_path_factory.mktemp("review")) as site:
        yield site


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("listbox", name="Waiting").get_by_role("option").filter(has_text=text)


def draft(site: Site, name: str, title: str) -> None:
    """Another process drafts a runbook."""
    content = {"trigger": "Paper", "steps": ["Refill it."], "verification": "It prints."}
    document = {"category": "runbook", "title": title, "tags": ["print"], "content": content}
    source = {"source": {"kind": "tool", "session": "s-9"}}
    elsewhere(site).sessions.drafts.put(name, document | source)


@requirement("page:review:keyboard")
def test_drafts_come_live_and_are_kept_dropped_and_taken_back_by_keyboard(
    browser: Browser, watched: Watched
) -> None:
    page, other = watched.open("/review"), tab(browser, watched.site)
    second = other.open("/review")
    expect(row(page, "Changed tool").first).to_be_visible()
    draft(watched.site, "a-paper", MARKUP)
    for each in (page, second):
        expect(row(each, MARKUP)).to_have_count(1)
    row(page, MARKUP).click()
    page.reload()
    expect(page.locator("article h2")).to_have_text(MARKUP)
    assert page.locator("main img[src='x']").count() == 0

    page.keyboard.press("d")
    for each in (page, second):
        expect(row(each, MARKUP)).to_have_count(0)
    page.keyboard.press("u")
    expect(row(second, MARKUP)).to_have_count(1)
    row(page, MARKUP).click()
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Change the draft")
    dialog.get_by_label("Title", exact=True).fill("The kiosk ran out of paper")
    dialog.get_by_role("button", name="Save the draft").click()
    expect(page.locator("article h2")).to_have_text("The kiosk ran out of paper")
    page.keyboard.press("y")
    expect(row(page, "The kiosk ran out of paper")).to_have_count(0)
    assert elsewhere(watched.site).memories.has("the-kiosk-ran-out-of-paper")
    page.keyboard.press("u")
    expect(row(page, "The kiosk ran out of paper")).to_have_count(1)
    assert not elsewhere(watched.site).memories.has("the-kiosk-ran-out-of-paper")
    assert other.faults == []
    other.context.close()


@requirement("page:review:keyboard")
def test_memories_are_decided_about_and_a_tool_asks_first(watched: Watched) -> None:
    page = watched.open("/review")
    row(page, "Never used").first.click()
    expect(page.locator("article h2")).to_have_text("Write the failing test first")
    page.keyboard.press("d")
    expect(page.get_by_text("Retired write-the-failing-test-first.")).to_be_visible()
    page.keyboard.press("u")
    expect(row(page, "Write the failing test first")).to_have_count(1)
    row(page, "Code changed").first.click()
    page.keyboard.press("y")
    expect(row(page, "Code changed")).to_have_count(0)

    row(page, "Changed tool").first.click()
    page.keyboard.press("y")
    page.get_by_role("dialog").get_by_role("button", name="Keep").click()
    expect(row(page, "Changed tool")).to_have_count(0)


@requirement("page:review:keyboard")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_review_is_accessible_at_every_size(watched: Watched, theme: str) -> None:
    watched.theme("dark" if theme == "dark" else "light")
    draft(watched.site, "b-paper", "A roll of paper is missing")
    page = watched.open("/review?item=draft+b-paper")
    expect(page.locator("article h2")).to_have_text("A roll of paper is missing")
    for size in (WIDE, PHONE):
        watched.size(size)
        assert watched.overflow() == 0
        assert watched.violations() == []
