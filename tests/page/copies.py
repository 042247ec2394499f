"""A copy of the story project, for tests that change what others look at."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.page.browser import Site
from tests.page.story import Story

from recollect.app.opening import open_project
from recollect.app.project import Recollect


@contextmanager
def copied_site(story: Story, place: Path) -> Iterator[Site]:
    """`recollect web` on a copy of the story below a folder."""
    home, folder = Path(story.env["HOME"]), place / story.folder.name
    for source in (
        home,
        story.folder,
    ):  # in a process of its own: to close a database file drops our locks of it
        subprocess.run(["cp", "-R", str(source), str(place)], check=True)
    env = {**story.env, "HOME": str(place / home.name)}
    site = Site(replace(story, folder=folder, env=env))
    copy = elsewhere(site)
    copy.search.update_index()
    copy.sessions.all()  # moves the database aside, because it was made in another folder
    assert copy.sessions.adopt()
    try:
        site.start()
        yield site
    finally:
        site.stop()


def elsewhere(site: Site) -> Recollect:
    """The project of a site, opened by another process than the one that serves it."""
    return open_project(site.story.folder, env=site.story.env)
