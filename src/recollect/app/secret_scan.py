"""Secrets in texts and in the memories of any root.

No project is needed: a text can come from anywhere, and a root may be one that another tool wrote.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from recollect import config, paths
from recollect.app.settings import refusal
from recollect.clock import utc_now
from recollect.config import Config
from recollect.errors import NotFoundError
from recollect.paths import INDEX_NAME
from recollect.records.memories import Memories
from recollect.records.scrub import Scrubbed, scrub
from recollect.records.store import Progress
from recollect.redaction.user_patterns import gate_of
from recollect.storage.files.root import MemoryRoot
from recollect.storage.files.store import FileStore


def scrub_root(
    root: Path, *, fix: bool, env: Mapping[str, str] = os.environ, progress: Progress | None = None
) -> list[Scrubbed]:
    """Scan a root's memories for secrets, and with `fix` remove them.

    The derived index may contain what was removed, so it is deleted; the next command rebuilds it.
    """
    if not root.is_dir():
        raise NotFoundError(f"the folder {str(root)!r} does not exist.")
    settings = _config_of(root, env)
    place = MemoryRoot(root.resolve(), root.as_posix())
    store = FileStore(place, settings.lock_wait_seconds, refusal=refusal(settings))
    scrubbed = scrub(Memories(store, gate_of(settings.redaction), utc_now), fix=fix, progress=progress)
    if fix and scrubbed:
        with store.root.opened(store.root.state) as folder:
            for name in os.listdir(folder):
                if name.startswith(INDEX_NAME):
                    os.unlink(name, dir_fd=folder)
    return scrubbed


def _config_of(root: Path, env: Mapping[str, str]) -> Config:
    return config.load(env, paths.user_config(env), str(root / paths.CONFIG_NAME))
