"""How smooth the graph of the page is: a person pans, zooms, searches, opens a community and expands nodes.

Times are milliseconds. `block` is the longest task of the page's main thread, `frame` the longest gap between
two frames, `key` the longest time from a key to the next frame, and `work` the processor time of the main
thread. The same gestures on an empty page show what the machine allows in the same run.
"""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import CDPSession, Locator, Page
from tests.page.browser import Watched

EMPTY = "/empty-page"
CANVAS = ".graph-canvas canvas"
OBSERVE = """
window.graphMeasured = { block: 0, frame: 0, key: 0, picture: 0 };
{
  const probe = new OffscreenCanvas(24, 16).getContext("2d", { willReadFrequently: true });
  const isDrawn = () => [...document.querySelectorAll(".graph-canvas canvas")].some((canvas) => {
    if (!canvas.width || !canvas.height) return false;
    probe.clearRect(0, 0, 24, 16);
    probe.drawImage(canvas, 0, 0, 24, 16);
    return probe.getImageData(0, 0, 24, 16).data.some((value) => value > 0);
  });
  let before = 0;
  const frame = (now) => {
    if (before) graphMeasured.frame = Math.max(graphMeasured.frame, now - before);
    before = now;
    if (!graphMeasured.picture && isDrawn()) graphMeasured.picture = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) graphMeasured.block = Math.max(graphMeasured.block, duration);
}).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => {
  for (const event of list.getEntries())
    if (event.name === "keydown" || event.name === "click" || event.name === "pointerdown")
      graphMeasured.key = Math.max(graphMeasured.key, event.duration);
}).observe({ type: "event", buffered: true, durationThreshold: 16 });
"""
# The content policy of the page forbids Playwright's own way to wait for an expression.
UNTIL = """new Promise((done, fail) => {
  const look = () => (%s ? done() : requestAnimationFrame(look));
  look();
  setTimeout(() => fail(new Error("waited for a minute")), 60_000);
})"""
AFTER_A_FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


class Meter:
    """Measures what a page does while something happens."""

    def __init__(self, watched: Watched) -> None:
        self.page = watched.page
        self._session: CDPSession = watched.context.new_cdp_session(watched.page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def work(self) -> float:
        """Processor time of the main thread since it was started, in milliseconds."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return float(next(row["value"] for row in metrics if row["name"] == "ThreadTime")) * 1000

    def during(self, act: Callable[[], None]) -> dict[str, float]:
        """The longest block, frame and key while `act` goes on, and until the page is quiet."""
        self.page.evaluate("Object.assign(graphMeasured, { block: 0, frame: 0, key: 0 })")
        before = self.work()
        act()
        self.page.evaluate(AFTER_A_FRAME)
        self.page.wait_for_timeout(300)  # the browser reports tasks and events late
        seen: dict[str, float] = self.page.evaluate("graphMeasured")
        work = self.work() - before
        rows = {"block": seen["block"], "frame": seen["frame"], "key": seen["key"], "work": work}
        return {name: round(value, 1) for name, value in rows.items()}


def smoothness(watched: Watched) -> dict[str, Any]:
    """Every gesture on the graph, from its communities to a neighbourhood."""
    page = watched.page
    page.add_init_script(OBSERVE)
    watched.open("/graph")
    meter = Meter(watched)
    options = page.get_by_role("option")
    options.first.wait_for()
    page.evaluate(UNTIL % "graphMeasured.picture > 0")
    first: dict[str, float] = page.evaluate("graphMeasured")
    rows: dict[str, Any] = {
        "first picture": round(first["picture"]),
        "longest block until then": round(first["block"]),
        "work until then": round(meter.work()),
    }
    box = page.locator(".graph").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    rows["pan communities"] = meter.during(lambda: pan(page, middle))
    rows["zoom communities"] = meter.during(lambda: zoom(page, middle))
    rows["next community"] = meter.during(lambda: press(page, ["j"] * 10))
    rows["search as you type"] = meter.during(lambda: search(page, options))
    page.locator("main [data-search]").fill("")
    page.locator("main h1").click()
    rows["open a community"] = meter.during(lambda: change(page, lambda: press(page, ["j", "e"])))
    rows["pan a community"] = meter.during(lambda: pan(page, middle))
    rows["zoom a community"] = meter.during(lambda: zoom(page, middle))
    rows["next node"] = meter.during(lambda: press(page, ["j"] * 10))
    rows["expand a node"] = meter.during(lambda: change(page, lambda: press(page, ["e"])))
    rows["expand another"] = meter.during(lambda: change(page, lambda: press(page, ["j", "j", "e"])))
    rows["why"] = meter.during(lambda: press(page, ["w", "w"]))
    rows["as of another day"] = meter.during(lambda: days(page))
    return rows


def empty_page(watched: Watched) -> dict[str, Any]:
    """The same gestures where there is nothing: what the machine allows now."""
    page = watched.page
    body = "<!doctype html><title>Empty</title><h1>Empty</h1>"
    page.route(f"**{EMPTY}", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.add_init_script(OBSERVE)
    page.goto(watched.site.origin + EMPTY)
    meter = Meter(watched)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    return {
        "first paint": round(paint),
        "pan": meter.during(lambda: pan(page, (500, 400))),
        "zoom": meter.during(lambda: zoom(page, (500, 400))),
        "keys": meter.during(lambda: press(page, ["j"] * 10)),
    }


def pan(page: Page, middle: tuple[float, float]) -> None:
    x, y = middle[0] - 200, middle[1] + 150
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(x + step * 8, y - step * 5)
    page.mouse.up()


def zoom(page: Page, middle: tuple[float, float]) -> None:
    page.mouse.move(*middle)
    for step in range(20):
        page.mouse.wheel(0, -120 if step < 10 else 120)
        page.evaluate(AFTER_A_FRAME)


def press(page: Page, keys: list[str]) -> None:
    for key in keys:
        page.keyboard.press(key)
        page.evaluate(AFTER_A_FRAME)


def search(page: Page, options: Locator) -> None:
    page.keyboard.press("/")
    press(page, list("webhook"))
    page.get_by_role("complementary", name="Search results").wait_for()
    options.first.wait_for()


def change(page: Page, act: Callable[[], None]) -> None:
    """Do something that changes the picture, and wait for the new one."""
    before = page.locator(".graph-canvas").get_attribute("data-placed")
    act()
    number = "document.querySelector('.graph-canvas')?.dataset.placed"
    page.evaluate(UNTIL % f"{number} && {number} !== {json.dumps(before)}")
    page.evaluate(AFTER_A_FRAME)


def days(page: Page) -> None:
    page.get_by_role("slider", name="As of").focus()
    press(page, ["ArrowLeft"] * 10)
