"""The nearest memory root above a folder. Plain strings: a hook does without pathlib."""

from __future__ import annotations

import os

STATE_FOLDER = ".recollect"


def nearest_root(start: str, root: str) -> tuple[str, str] | None:
    """The nearest folder from `start` upwards that has a root, and the root; None at the top.

    The search ends at the top of the checkout.
    """
    folder = start
    while True:
        if os.path.isdir(path := os.path.join(folder, root)):
            return folder, path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent
