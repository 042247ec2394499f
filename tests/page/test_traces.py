"""Traces in a browser: from a decision to its signals, distributions, thresholds and a replay."""

import pytest
from playwright.sync_api import Browser, expect
from tests.page.browser import PHONE, Site, Watched, tab
from tests.requirements import requirement

from recollect.app.opening import open_project
from recollect.retrieval.request import Request


@requirement("page:traces:signals")
@requirement("page:traces:stats")
@requirement("page:traces:replay")
def test_a_person_opens_a_decision_and_replays_it_with_other_parameters(watched: Watched) -> None:
    page, story = watched.open("/traces?kind=retrieval"), watched.site.story
    rows = page.get_by_role("table", name="Decisions").get_by_role("row")
    expect(rows.nth(1)).to_be_visible()
    before = rows.count()
    project = open_project(story.folder, env=story.env)
    project.find(Request("ferries in autumn storms"))
    project.traces.write()
    expect(rows).to_have_count(before + 1)

    rows.nth(1).focus()
    page.keyboard.press("Enter")
    signals = page.get_by_role("region", name="Signals of one decision")
    expect(signals.get_by_role("img", name="Signals of").first).to_be_visible()
    page.reload()
    expect(signals.get_by_role("img", name="Signals of").first).to_be_visible()

    page.get_by_role("tab", name="Distributions").click()
    expect(page.get_by_role("img", name="Scores")).to_be_visible()
    expect(page.get_by_role("heading", name="Searches")).to_be_visible()
    page.get_by_role("tab", name="Thresholds").click()
    expect(page.get_by_role("heading", name="Calls ahead")).to_be_visible()

    page.get_by_role("tab", name="Replay").click()
    field = page.get_by_role("textbox", name="Parameters to change")
    field.fill("<b>x</b>=1")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("alert")).to_contain_text("no parameter '<b>x</b>'")
    field.fill("boost_cap=0")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("table", name="Replay")).to_contain_text("Changed")
    page.reload()
    expect(field).to_have_value("boost_cap=0")
    expect(page.get_by_role("table", name="Replay")).to_contain_text("Changed")
    watched.expect_faults("409")


@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tab_of_traces_is_accessible_and_fits_a_phone(
    browser: Browser, site: Site, theme: str
) -> None:
    phone = tab(browser, site, PHONE)
    phone.theme("dark" if theme == "dark" else "light")
    page = phone.open("/traces")
    page.get_by_role("table", name="Decisions").get_by_role("row").nth(1).click()
    for name in ("Decisions", "Distributions", "Thresholds", "Replay"):
        page.get_by_role("tab", name=name).click()
        expect(page.locator(".skeleton")).to_have_count(0)
        assert phone.violations() == [], name
        assert phone.overflow() == 0, name
    assert phone.faults == []
    phone.context.close()
