"""How fast the page is in Chromium with many memories and a large graph, and how large its files are.

    python docs/measurements/page_speed.py [MEMORIES] [VISITS] [NODES]

Needs the built page (`make page`). Prints JSON, times in milliseconds. `paint` is the first contentful paint,
`content` when the project's data is on the screen, `layout_shift` how much moved without a person's doing
(0 is none), `server` the processor time of `recollect web`; medians of the visits. The browser times each
interaction from the key to the next frame (Event Timing, in steps of 8 ms). `page_graph.py` says what is
measured of the graph. Other work slows every time but those of the processor: `empty_page` shows how much.
"""

import gzip
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP))

from linked_memories import fill_graph  # noqa: E402
from page_graph import empty_page, smoothness  # noqa: E402
from tests.page.browser import Site, Watched, launched, tab  # noqa: E402
from tests.page.story import Story  # noqa: E402

from recollect.app.opening import open_project  # noqa: E402
from recollect.bench.generated_memories import fill  # noqa: E402
from recollect.retrieval.request import Request  # noqa: E402
from recollect.web.static_files import FOLDER  # noqa: E402

CONTENT = {"/": ".figures .stat-value", "/memories": ".virtual-row"}
OBSERVE = """
window.measured = { content: {}, shift: 0, events: [] };
const note = () => {
  for (const selector of %s)
    if (!(selector in measured.content) && document.querySelector(selector))
      measured.content[selector] = performance.now();
};
new MutationObserver(note).observe(document, { childList: true, subtree: true });
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) measured.shift += shift.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const event of list.getEntries())
    if (event.interactionId || event.name === "keydown")
      measured.events.push([event.name, event.duration, event.processingEnd - event.startTime]);
}).observe({ type: "event", buffered: true, durationThreshold: 16 });
"""


def main(memories: int = 10_000, visits: int = 5, nodes: int = 5_000) -> None:
    result: dict[str, Any] = {"memories": memories, "nodes": nodes, "load": os.getloadavg()}
    with launched() as browser:
        with served(lambda folder: fill(folder / ".claude" / "memory", memories)) as site:
            result["empty_page"] = in_tab(browser, site, empty_page)
            result["views"] = {path: visited(browser, site, path, visits) for path in CONTENT}
            result["interactions"] = interacted(browser, site)
        with served(lambda folder: fill_graph(folder, nodes)) as site:
            result["graph"] = [in_tab(browser, site, smoothness) for _ in range(min(visits, 2))]
    print(json.dumps(result | {"files": sizes()}, indent=2))


@contextmanager
def served(fill_project: Callable[[Path], None]) -> Iterator[Site]:
    """The page of a new project, whose index is complete."""
    with tempfile.TemporaryDirectory(prefix="recollect-page-") as place:
        folder, home = Path(place) / "project", Path(place) / "home"
        home.mkdir()
        fill_project(folder)
        env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        open_project(folder, env=env).find(Request("refund webhook"))
        site = Site(Story(folder, env, "", ""))
        try:
            site.start()
            yield site
        finally:
            site.stop()


def in_tab(
    browser: Browser, site: Site, measure: Callable[[Watched], dict[str, Any]]
) -> dict[str, Any]:
    """Measure in a tab with an empty cache, with the processor time of the server."""
    watched, before = tab(browser, site), server_time(site)
    rows = measure(watched)
    watched.context.close()
    return rows | {"server": server_time(site) - before}


def server_time(site: Site) -> int:
    """Processor time of the process that serves the page, in milliseconds."""
    fields = Path(f"/proc/{site.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 // os.sysconf("SC_CLK_TCK")


def visited(browser: Browser, site: Site, path: str, visits: int) -> dict[str, float]:
    """Medians of some visits, each with an empty cache."""
    rows = [visit(browser, site, path) for _ in range(visits)]
    return {name: round(statistics.median(row[name] for row in rows), 3) for name in rows[0]}


def visit(browser: Browser, site: Site, path: str) -> dict[str, float]:
    watched, before = observed(browser, site), server_time(site)
    page = watched.open(path)
    page.locator(CONTENT[path]).first.wait_for()
    page.wait_for_timeout(500)  # what comes later must not move anything
    seen: dict[str, Any] = page.evaluate("measured")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    watched.context.close()
    return {
        "paint": paint,
        "content": seen["content"][CONTENT[path]],
        "layout_shift": seen["shift"],
        "server": server_time(site) - before,
    }


def interacted(browser: Browser, site: Site) -> dict[str, dict[str, float]]:
    """What a person does most, each several times."""
    watched = observed(browser, site)
    page = watched.open("/memories")
    page.locator(".virtual-row").first.wait_for()
    results = {
        "next memory": timed(page, ["j"] * 20),
        "palette": timed(page, ["Control+k", "Escape"] * 5),
    }
    page.locator("main [data-search]").first.focus()
    results["search as you type"] = timed(page, list("refund webhook"))
    page.locator("main h1").click()
    results["to another view"] = timed(page, ["g", "o", "g", "m"] * 3)
    watched.context.close()
    return results


def timed(page: Page, keys: list[str]) -> dict[str, float]:
    """The time from each key to the next frame: their median and their longest."""
    page.evaluate("measured.events = []")
    for key in keys:
        page.keyboard.press(key)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    page.wait_for_timeout(200)  # entries are delivered late
    slow = [duration for name, duration, _ in page.evaluate("measured.events") if name == "keydown"]
    times = sorted([*slow, *[16.0] * (len(keys) - len(slow))])  # the browser reports none below 16 ms
    return {"median": statistics.median(times), "longest": times[-1]}


def observed(browser: Browser, site: Site) -> Watched:
    watched = tab(browser, site)
    watched.page.add_init_script(OBSERVE % json.dumps(list(CONTENT.values())))
    return watched


def sizes() -> dict[str, Any]:
    """Bytes of the built files: what every visit loads, and what a view or a chart adds."""
    first = (FOLDER / "index.html").read_text("utf-8")
    files = sorted((FOLDER / "assets").iterdir())
    initial = [file for file in files if file.name in first]
    return {
        "initial": size_of(initial),
        "all": size_of(files),
        "largest": {file.name: size_of([file]) for file in sorted(files, key=_length)[-4:]},
    }


def size_of(files: list[Path]) -> dict[str, int]:
    contents = [file.read_bytes() for file in files]
    return {
        "bytes": sum(map(len, contents)),
        "gzip": sum(len(gzip.compress(content)) for content in contents),
    }


def _length(file: Path) -> int:
    return file.stat().st_size


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
