"""Releases of packages, asked of the tools that know their registry: npm, and pip's configuration.

No address of a registry is stored here. Raises UnreachableError when a tool is missing or does not answer.
"""

import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.gateway.package import Package
from recollect.gateway.release import Release
from recollect.interpreter import python

_SECONDS = 30
_MOST_BYTES = 50_000_000
_SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
_PIP_DEFAULT = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
_INSTALLED = (
    "import sys, importlib.metadata as m; n = m.packages_distributions().get(sys.argv[1], [''])[0];"
    " print(n, m.version(n) if n else '')"
)
_VERSION_IN_NAME = re.compile(r"-(\d[^-]*?)(?:-|\.tar|\.zip)")
_LINK = re.compile(r"<a\b[^>]*#sha256=([0-9a-f]{64})[^>]*>([^<]+)</a>")


class UnreachableError(Exception):
    """A registry, or the tool that knows it, did not answer."""


def releases(package: Package, command: str, env: Mapping[str, str] = os.environ) -> list[Release]:
    """The releases of a package; of a module the one that is installed, by its interpreter `command`."""
    if package.source == "npm":
        return npm_releases(package.name, env)
    if package.source == "pypi":
        return pypi_releases(package.name, env)
    name, _, version = _run([command, "-c", _INSTALLED, package.name], env).partition(" ")
    return [Release(version, datetime.fromtimestamp(0, UTC))] if name and version else []


def npm_releases(name: str, env: Mapping[str, str]) -> list[Release]:
    """What `npm view` says. The integrity of all versions takes one more question."""
    times = _json(_run(["npm", "view", name, "time", "--json"], env))
    if not isinstance(times, dict):
        raise UnreachableError(f"npm does not know {name!r}")
    return [
        Release(version, _moment(at))
        for version, at in times.items()
        if version not in ("created", "modified")
    ]


def npm_integrity(name: str, version: str, env: Mapping[str, str]) -> str:
    """The integrity that npm's registry states for one version."""
    answer = _json(_run(["npm", "view", f"{name}@{version}", "dist.integrity", "--json"], env))
    return answer if isinstance(answer, str) else ""


def pypi_releases(name: str, env: Mapping[str, str]) -> list[Release]:
    """What pip's index says (PEP 691 and 700): each version with the digest of its wheel or archive."""
    files = _simple_index(name, env)
    versions: dict[str, list[Mapping[str, Any]]] = {}
    for file in files:
        match = _VERSION_IN_NAME.search(str(file.get("filename", "")))
        if match and not file.get("yanked"):
            versions.setdefault(match[1], []).append(file)
    return [_release(version, some) for version, some in versions.items()]


def _release(version: str, files: Sequence[Mapping[str, Any]]) -> Release:
    times = [at for file in files if (at := _moment(file.get("upload-time"))) is not None]
    names = {str(file.get("filename")): file for file in files}
    first = names[min(names, key=lambda name: (not name.endswith(".whl"), name))]
    digest = (first.get("hashes") or {}).get("sha256", "")
    return Release(version, min(times, default=None), f"sha256:{digest}" if digest else "")


def _simple_index(name: str, env: Mapping[str, str]) -> list[Mapping[str, Any]]:
    index = _index_url(env)
    if not index.startswith(("http://", "https://")):
        raise UnreachableError("pip names no index that can be queried")
    address = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', name).lower()}/"
    request = urllib.request.Request(address, headers={"Accept": _SIMPLE_JSON})  # noqa: S310 - http only
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - http only
            page = answer.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UnreachableError(f"the index of pip does not answer ({error})") from None
    if len(page) > _MOST_BYTES:  # the newest files may be the ones that are missing
        raise UnreachableError(f"the index of pip has more than {_MOST_BYTES:,} bytes about {name!r}")
    text = page.decode("utf-8", "replace")
    document = _json(text)
    files = document.get("files") if isinstance(document, dict) else _linked_files(text)
    if not isinstance(files, list) or not files:
        raise UnreachableError(f"the index of pip does not describe {name!r}")
    return [file for file in files if isinstance(file, dict)]


def _linked_files(page: str) -> list[Mapping[str, Any]]:
    """The files of an index that answers in HTML (PEP 503), which does not say when they were published."""
    return [
        {"filename": name.strip(), "hashes": {"sha256": digest}} for digest, name in _LINK.findall(page)
    ]


def _index_url(env: Mapping[str, str]) -> str:
    """The index that uv or pip would use: the environment, pip's configuration, then pip's own default."""
    for variable in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        if env.get(variable):
            return env[variable]
    try:
        return _run(python("-m", "pip", "config", "get", "global.index-url"), env)
    except UnreachableError:
        return _run(python("-c", _PIP_DEFAULT), env)


def _run(command: Sequence[str], env: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            command,
            env=dict(env),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise UnreachableError(f"{command[0]} does not answer ({error})") from None
    if done.returncode:
        last = " ".join(done.stderr.split())[-200:]
        raise UnreachableError(f"{command[0]} failed: {last}")
    return done.stdout.strip()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
