"""The pictures of the page: `python docs/screenshots.py [VIEW...]` photographs the story project.

Needs Chromium and the built page (`make page`). Writes docs/images/VIEW-THEME-SIZE.png.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect

TOP = Path(__file__).parents[1]
sys.path.insert(0, str(TOP))

from tests.page.browser import PHONE, WIDE, Site, launched, tab  # noqa: E402
from tests.page.story import Story, build  # noqa: E402

IMAGES = TOP / "docs" / "images"
SIZES = {"wide": WIDE, "phone": PHONE}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

# The address of each view's picture, where it shows something worth looking at.
VIEWS: Mapping[str, Callable[[Story], str]] = {
    "overview": lambda _: "/",
    "memories": lambda _: "/memories/cache-prices-for-a-minute?q=slow+prices",
    "review": lambda _: "/review",
    "session": lambda _: "/session",
    "graph": lambda _: "/graph",
    "tools": lambda _: "/tools?capability=count_seats_sailing&tool=bookings:find_bookings",
    "runs": lambda story: f"/runs/{story.paused}?task=bookings",
    "traces": lambda _: "/traces",
}


def main(names: list[str]) -> None:
    """Take the pictures of some views, or of all."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="recollect-pictures-") as place:
        site = Site(build(Path(place)))
        try:
            site.start()
            with launched() as browser:
                for name in names or VIEWS:
                    photograph(browser, site, name)
        finally:
            site.stop()


def photograph(browser: Browser, site: Site, name: str) -> None:
    for size, pixels in SIZES.items():
        watched = tab(browser, site, pixels)
        for theme in THEMES:
            watched.theme(theme)
            page = watched.open(VIEWS[name](site.story))
            settle(page)
            file = IMAGES / f"{name}-{theme}-{size}.png"
            page.screenshot(path=file)
            print(f"{file.relative_to(TOP)}  {file.stat().st_size // 1024} kB")
        for fault in watched.faults:
            print(f"  {name} {size}: {fault}")
        watched.context.close()


def settle(page: Page) -> None:
    """Wait until the data is there and charts and graphs are drawn."""
    undrawn = ".chart-canvas:not(:has(canvas)), .graph-canvas:not([data-placed])"
    expect(page.locator("main .skeleton")).to_have_count(0)
    expect(page.locator(undrawn)).to_have_count(0)
    page.wait_for_timeout(400)


if __name__ == "__main__":
    main(sys.argv[1:])
