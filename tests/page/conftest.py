"""A real page on a real project in a real browser. One browser per module, one story per worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.page.browser import Site, Watched, chromium, launched, tab
from tests.page.story import Story, build

from recollect.web.static_files import is_built


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder where the browser or the built page is missing, and say which."""
    reason = ""
    if chromium() is None:
        reason = "Chromium is not installed"
    elif not is_built():
        reason = "the page is not built; `make page` builds it"
    for item in items:
        if reason and item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The story project. Modules share it: a test changes only what no other module looks at."""
    return build(tmp_path_factory.mktemp("story"))


@pytest.fixture(scope="module")
def site(story: Story) -> Iterator[Site]:
    """`recollect web` on the story project, in a process of its own."""
    site = Site(story)
    try:
        site.start()
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def watched(browser: Browser, site: Site) -> Iterator[Watched]:
    """A tab of its own on a wide screen. Its faults fail the test."""
    watched = tab(browser, site)
    yield watched
    watched.context.close()
    assert watched.faults == []
