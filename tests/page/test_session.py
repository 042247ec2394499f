"""The session in a browser: as it happens, with reasons, and without secrets."""

import json

import pytest
from playwright.sync_api import Browser, expect
from tests.page.browser import PHONE, Site, Watched, tab
from tests.page.story import SESSION
from tests.requirements import requirement

from recollect.hook.answer import answer

MARKUP = "<img src=x onerror=alert(1)>"
OWN = "live-session"


def send(site: Site, name: str, **fields: object) -> None:
    story = site.story
    payload = {"session_id": OWN, "cwd": str(story.folder), "hook_event_name": name, **fields}
    answer("claude-code", name, json.dumps(payload).encode(), story.env)


@requirement("page:session:live")
@requirement("page:session:why")
def test_a_tool_call_appears_by_itself_and_a_reload_shows_the_same_session(watched: Watched) -> None:
    page = watched.open(f"/session/{SESSION}")
    given = page.get_by_role("list", name="Added to prompts")
    expect(given.get_by_role("link").first).to_be_visible()
    given.get_by_text("Why").first.click()
    expect(given.get_by_role("meter").nth(1)).to_be_visible()
    expect(page.get_by_role("list", name="Events")).to_contain_text("fixed")

    output = "FAILED tests/test_x.py::test_y - AssertionError\n1 failed in 1.0s\n"
    fields = {"tool_name": "Bash", "tool_input": {"command": f"pytest -q '{MARKUP}'"}}
    send(watched.site, "UserPromptSubmit", prompt="mend the sailing list")
    send(watched.site, "PostToolUse", tool_response={"stdout": output, "exit_code": 1}, **fields)
    page.get_by_role("combobox", name="Session").select_option(OWN)
    items = page.get_by_role("list", name="Working memory")
    expect(items).to_contain_text(MARKUP)
    assert page.locator("main img").count() == 0

    file = f"{watched.site.story.folder}/src/sailing.py"
    send(
        watched.site,
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": file},
        tool_response="ok",
    )
    expect(items.get_by_role("listitem").filter(has_text="sailing.py")).to_be_visible()
    page.reload()
    expect(page.get_by_role("combobox", name="Session")).to_have_value(OWN)
    expect(items).to_contain_text("sailing.py")


@requirement("page:session:redacted")
@requirement("page:readable:accessible")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_session_is_accessible_fits_a_phone_and_shows_no_secret(
    browser: Browser, site: Site, theme: str
) -> None:
    phone = tab(browser, site, PHONE)
    phone.theme("dark" if theme == "dark" else "light")
    page = phone.open(f"/session/{SESSION}")
    expect(page.get_by_role("list", name="Working memory")).to_be_visible()
    assert "ghp_" not in page.locator("main").inner_text()
    assert phone.violations() == []
    assert phone.overflow() == 0
    phone.size((1440, 900))
    assert phone.violations() == []
    assert phone.faults == []
    phone.context.close()
