"""Releases of a package, and which one to take: the newest that has been out for some days."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_PRE = re.compile(r"-|(?:\d|\b)(?:a|b|rc|alpha|beta|dev)\.?\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Release:
    """One version, and what its registry says about it; `released_at` is None when it does not say."""

    version: str
    released_at: datetime | None
    integrity: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """The release to take, if there is one, and a newer one that is too young."""

    release: Release | None
    held_back: Release | None = None


def choose(releases: Sequence[Release], version: str, days: int, now: datetime) -> ReleaseChoice:
    """The newest release that is at least `days` old, never one older than the `version` in use.

    Pre-releases are left out unless one is in use. A release of unknown age is too young.
    """
    current = next((release for release in releases if release.version == version), None)
    oldest = current.released_at if current else None
    dated = [
        (release.released_at, release)
        for release in releases
        if release.released_at is not None
        and (release == current or not _PRE.search(release.version))
        and (oldest is None or release.released_at >= oldest)
    ]
    dated.sort(key=lambda pair: pair[0])
    limit = now - timedelta(days=days)
    ripe = [release for at, release in dated if at <= limit or release == current]
    newest = dated[-1][1] if dated else None
    chosen = ripe[-1] if ripe else current
    return ReleaseChoice(chosen, newest if newest != chosen else None)
