"""The browser that tests look through, and the process that it looks at."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)
from tests.page.story import Story

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)
WIDE, PHONE = (1440, 900), (360, 740)
_AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
_SECONDS = 60
expect.set_options(timeout=_SECONDS * 1000)  # a busy machine takes its time
# What a page says while its server is away: the tests of that expect it, and no other fault is let through.
_OFFLINE = (
    "ERR_CONNECTION_REFUSED",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_EMPTY_RESPONSE",
    "ERR_CONNECTION_RESET",
)


def chromium() -> str | None:
    """The system's Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


_STARTER = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"


class Site:
    """`recollect web` on a story, as a process that a person started, or a program called `agent`."""

    def __init__(self, story: Story, agent: str = "") -> None:
        self.story, self.agent = story, agent
        self.address = ""
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it; a second time on the same port, as a person would after a crash."""
        command = [sys.executable, "-m", "recollect", "web", "--port", str(self.port), "--json"]
        if self.agent:
            command = [self.agent, "-c", _STARTER, *command]
        process = subprocess.Popen(
            command,
            executable=sys.executable,
            cwd=self.story.folder,
            env=dict(self.story.env),
            stdout=subprocess.PIPE,
            text=True,
        )
        self._process = process
        assert process.stdout is not None
        lines = list(takewhile(lambda line: line != "}\n", process.stdout))
        output = json.loads("".join([*lines, "}"]))
        self.address, self.port = output["address"], output["port"]

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=_SECONDS)

    @property
    def pid(self) -> int:
        """The process that serves it."""
        assert self._process is not None
        return self._process.pid

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Watched:
    """A tab whose faults fail its test: console errors, content policy violations, foreign requests."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self.context, self.site = context, site
        self.page: Page = context.new_page()
        self.page.set_default_timeout(_SECONDS * 1000)
        self.faults: list[str] = []
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        self.page.on("request", self._on_request)

    def open(self, path: str = "/") -> Page:
        """Sign in with the printed address, then go to a path; returns when the view is there."""
        self.page.goto(self.site.address)
        if path != "/":
            self.page.goto(self.site.origin + path)
        self.page.locator("main h1").wait_for()
        return self.page

    def theme(self, name: Literal["light", "dark"]) -> None:
        self.page.emulate_media(color_scheme=name)

    def size(self, size: tuple[int, int]) -> None:
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def overflow(self) -> int:
        """How many pixels the page is wider than its window; 0 is right."""
        return int(
            self.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )

    def violations(self) -> list[str]:
        """What axe finds that is serious or critical, as `rule: element`."""
        session = self.context.new_cdp_session(self.page)
        session.send("Runtime.evaluate", {"expression": _AXE.read_text(encoding="utf-8")})
        run = "axe.run({resultTypes: ['violations']}).then(found => JSON.stringify(found.violations))"
        answer = session.send(
            "Runtime.evaluate", {"expression": run, "awaitPromise": True, "returnByValue": True}
        )
        session.detach()
        return [
            f"{violation['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:200]})"
            for violation in json.loads(answer["result"]["value"])
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.site.origin, "data:", "blob:")):
            self.faults.append(f"request to {request.url}")

    def expect_faults(self, *parts: str) -> None:
        """Forget faults that contain one of these texts."""
        self.faults = [fault for fault in self.faults if not any(part in fault for part in parts)]

    def expect_offline(self) -> None:
        """Forget what a browser says because the server was away."""
        self.expect_faults(*_OFFLINE)


def tab(browser: Browser, site: Site, size: tuple[int, int] = WIDE) -> Watched:
    """A new tab with cookies of its own."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", color_scheme="light"
    )
    return Watched(context, site)
