"""How this copy of Recollect was installed, and the command that adds an optional part to it."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAME = "recollect"


def how_to_add(extra: str, prefix: str = sys.prefix, python: str = sys.executable) -> str:
    """The shell command that installs an optional part of this package where this copy is installed."""
    words = shlex.join(_source(extra))
    if "/pipx/venvs/" in prefix:
        return f"pipx install --force {words}"
    if "/uv/tools/" in prefix:
        return f"uv tool install --force {words}"
    return f"{shlex.quote(python)} -m pip install {words}"


def _source(extra: str) -> list[str]:
    """What to install: by name, or from the folder or file that this copy was installed from."""
    origin = _origin()
    url = str(origin.get("url", ""))
    if not url:
        return [f"{_NAME}[{extra}]"]
    folder = origin.get("dir_info")
    if not isinstance(folder, dict):
        return [f"{_NAME}[{extra}] @ {url}"]
    path = url2pathname(urlsplit(url).path)
    return [*(["--editable"] if folder.get("editable") else []), f"{path}[{extra}]"]


def _origin() -> dict[str, object]:
    """What the installer recorded of a copy that does not come from a package index."""
    try:
        origin = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return origin if isinstance(origin, dict) else {}
