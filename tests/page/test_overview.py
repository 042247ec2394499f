"""The overview in a browser: figures of the story, charts with their tables, and changes as they happen."""

from playwright.sync_api import expect
from tests.page.browser import PHONE, Watched
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.records.categories import Category
from recollect.records.memories import Saved


@requirement("page:views:overview")
def test_the_overview_shows_what_is_remembered_used_saved_and_waiting(watched: Watched) -> None:
    page = watched.open("/")
    figures = page.locator(".figures")
    expect(figures).to_contain_text("Memories in force")
    expect(figures).to_contain_text("injections in 30 days")
    expect(figures).to_contain_text("tool calls in 30 days")
    waiting = page.get_by_role("region", name="Needs attention")
    expect(waiting).to_contain_text("1 run is waiting for a decision")
    expect(waiting).to_contain_text("1 memory is injected often and never used")
    expect(page.get_by_role("region", name="Health")).to_contain_text("src/cache.py")
    expect(page.get_by_role("region", name="Calls that ran ahead")).to_contain_text(
        "84 of 112 predicted"
    )

    chart = page.get_by_role("img", name="Injections per day")
    expect(chart.locator("canvas")).to_be_visible()
    page.get_by_text("Table of Injections per day").click()
    rows = page.get_by_role("region", name="Injections per day").get_by_role("row")
    expect(rows).to_have_count(31)

    waiting.get_by_role("link", name="1 run is waiting for a decision").click()
    expect(page).to_have_url(watched.site.origin + "/runs")


@requirement("page:live:changes")
def test_a_memory_that_another_program_saves_is_counted_without_a_reload(watched: Watched) -> None:
    page, story = watched.open("/"), watched.site.story
    bar = page.get_by_role("meter", name="preference")
    expect(bar).to_have_attribute("aria-valuenow", "4")
    expect(page.locator(".rail .connection")).to_have_text("Live")
    project = open_project(story.folder, env=story.env)
    saved = project.memories.save(draft("Tests name the port", Category.PREFERENCE))
    assert isinstance(saved, Saved)
    expect(bar).to_have_attribute("aria-valuenow", "5")
    project.memories.retire(saved.stored.memory.id, "only for this test")
    expect(bar).to_have_attribute("aria-valuenow", "4")
    watched.size(PHONE)
    assert watched.overflow() == 0
