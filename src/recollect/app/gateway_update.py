"""Updating the packages of servers, and the lock file that records what was accepted."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recollect import clock, config, paths
from recollect.app.gateway import Gateway, acceptor
from recollect.app.user_files import write_file
from recollect.errors import InvalidError, UpstreamError
from recollect.gateway.lock_file import LOCK_NAME, LockEntry, lock_text, parse_lock, schema_digest
from recollect.gateway.package import Package, package_of, pinned_to
from recollect.gateway.pins import ScreenedTool
from recollect.gateway.release import ReleaseChoice, choose
from recollect.gateway.upstream import StdioServer, Upstream
from recollect.records.store import Progress
from recollect.storage import git

_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ServerUpdate:
    """What an update did to one server, or would do. Versions are empty where none is known.

    `held_back` is a newer version that is too young; `blocked` tools changed and wait for review.
    """

    server: str
    package: str
    old_version: str
    new_version: str
    held_back: str
    schema_changed: bool
    blocked: Sequence[ScreenedTool]
    error: str = ""


class GatewayUpdate:
    """One run over the user's servers, for one project folder."""

    def __init__(self, gateway: Gateway, folder: Path, env: Mapping[str, str] = os.environ) -> None:
        self._gateway, self._env = gateway, env
        self.lock_file = (git.top_level(folder) or folder) / LOCK_NAME
        self._days = config.load(env, paths.user_config(env)).gateway.min_release_age_days

    def run(
        self, names: Sequence[str], *, dry_run: bool, progress: Progress = lambda _done, _total: None
    ) -> list[ServerUpdate]:
        """Update these servers and write the lock file; a dry run asks registries and changes nothing.

        A server whose registry does not answer, or whose new version does not start, stays as it was.
        """
        lock = self._read_lock()
        updates = []
        for done, name in enumerate(names):
            progress(done, len(names))
            update, entry = self._update(self._gateway.upstream(name), lock.get(name), dry_run=dry_run)
            updates.append(update)
            lock[name] = entry
        if not dry_run and (lock or self.lock_file.exists()):
            self._write_lock(lock)
        return updates

    def _update(
        self, upstream: Upstream, locked: LockEntry | None, *, dry_run: bool
    ) -> tuple[ServerUpdate, LockEntry]:
        package, choice, error = package_of(upstream.server), ReleaseChoice(None), ""
        try:
            if package is not None:
                choice = self._choice(upstream, package)
            if not dry_run:
                self._apply(upstream, package, choice)
        except (_NotNowError, UpstreamError) as failure:
            choice, error = ReleaseChoice(None), str(failure)
        entry = self._entry(upstream.name, package, choice, locked or LockEntry())
        update = ServerUpdate(
            upstream.name,
            f"{package.source} {package.name}" if package else "",
            (package.version if package else "") or (locked.version if locked else ""),
            choice.release.version if choice.release else "",
            choice.held_back.version if choice.held_back else "",
            locked is not None and locked.schema != entry.schema,
            [tool for tool in self._gateway.review(upstream.name) if tool.quarantine],
            error,
        )
        return update, entry

    def _choice(self, upstream: Upstream, package: Package) -> ReleaseChoice:
        from recollect.upstreams.registry import (  # noqa: PLC0415 - the HTTP client
            UnreachableError,
            npm_integrity,
            releases,
        )

        command = upstream.server.command if isinstance(upstream.server, StdioServer) else ""
        try:
            known = releases(package, command, self._env)
            choice = choose(known, package.version, self._days, self._gateway.now())
            if choice.release and package.source == "npm":
                integrity = npm_integrity(package.name, choice.release.version, self._env)
                choice = replace(choice, release=replace(choice.release, integrity=integrity))
        except UnreachableError as error:
            raise _NotNowError(f"{error}; nothing was changed.") from None
        return choice

    def _apply(self, upstream: Upstream, package: Package | None, choice: ReleaseChoice) -> None:
        """Put the version into the command and list the tools; one that does not start is taken back."""
        server, release = upstream.server, choice.release
        is_new = package and release and release.version != package.version
        if not (is_new and isinstance(server, StdioServer) and package and package.source != "module"):
            self._gateway.refresh(upstream.name)
            return
        self._gateway.set_arguments(
            upstream.name, pinned_to(server, package, release.version if release else "").arguments
        )
        try:
            self._gateway.refresh(upstream.name)
        except UpstreamError:
            self._gateway.set_arguments(upstream.name, server.arguments)
            raise

    def _entry(
        self, name: str, package: Package | None, choice: ReleaseChoice, locked: LockEntry
    ) -> LockEntry:
        """What the lock says now. Who accepted it, and when, changes only with something else."""
        tools = [tool.accepted for tool in self._gateway.review(name)]
        entry = replace(locked, schema=schema_digest(tools) if tools else locked.schema)
        if package and choice.release:
            at = choice.release.released_at
            entry = replace(
                entry,
                source=package.source,
                package=package.name,
                version=choice.release.version,
                integrity=choice.release.integrity,
                released_at=clock.to_text(at) if at and package.source != "module" else "",
            )
        if entry == locked:
            return locked
        now = clock.to_text(self._gateway.now())
        return replace(entry, accepted_by=acceptor(self._env), accepted_at=now)

    def _read_lock(self) -> dict[str, LockEntry]:
        try:
            text = paths.read_plain(str(self.lock_file), _MOST_BYTES).decode("utf-8-sig")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise InvalidError(f"{str(self.lock_file)!r} cannot be read: {error}.") from None
        return parse_lock(text, str(self.lock_file))

    def _write_lock(self, entries: Mapping[str, LockEntry]) -> None:
        data = lock_text(entries).encode()
        if not self.lock_file.exists() or self.lock_file.read_bytes() != data:
            write_file(self.lock_file, data)


class _NotNowError(Exception):
    """A registry that did not answer."""
