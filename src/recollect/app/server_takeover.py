"""Put Recollect in place of servers in the files of harnesses, and take that back."""

import difflib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect import paths
from recollect.agents.takeover import Takeover, parsed, pieces, planned, restored, written
from recollect.app.connections import SERVE
from recollect.app.gateway import Gateway
from recollect.app.server_import import MOST_BYTES, HarnessServer, add_server
from recollect.app.server_secrets import refuse_secrets
from recollect.errors import RecollectError, RefusedError, StoreError
from recollect.gateway.upstream import parse_upstream
from recollect.redaction.redact import redact
from recollect.storage.files import atomic
from recollect.storage.private import make_folder

RECORDS_NAME = "gateway-takeovers.json"
_MOST_SHOWN = 500  # characters of a line
# What a team shares names a command on PATH. The variables keep the current folder, which may be a
# repository with modules of our names, from being imported.
SHARED_SERVE = ("recollect", "serve")
ISOLATED = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A harness's file before and after, and the servers that Recollect takes the place of."""

    path: str
    before: str
    after: str
    servers: tuple[HarnessServer, ...]
    records: tuple[Takeover, ...]

    def diff(self) -> list[str]:
        """What changes, line by line, without the secrets of lines around it; long lines are cut."""
        before, after = self.before.splitlines(), self.after.splitlines()
        lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
        shown = [_shortened(line) for line in lines]
        return redact("\n".join(shown))[0].split("\n") if shown else []


def _shortened(line: str) -> str:
    if len(line) <= _MOST_SHOWN:
        return line
    # The gate first: half a secret may not look like one.
    return f"{redact(line[: 4 * _MOST_SHOWN])[0][:_MOST_SHOWN]} ... ({len(line)} characters)"


@dataclass(slots=True)
class TakeoverPlan:
    """What a takeover would do, and why it leaves other servers and files alone, by server or file."""

    files: list[FilePlan] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Restored:
    """A file that was taken over: `outcome` is restored, changed (since, so only our part went) or kept."""

    path: str
    outcome: str
    reason: str


def plan_takeover(servers: Sequence[HarnessServer], env: Mapping[str, str]) -> TakeoverPlan:
    """What it takes to move these servers from their files to the gateway. Writes nothing."""
    plan = TakeoverPlan()
    by_path: dict[str, list[HarnessServer]] = {}
    accepted: dict[str, HarnessServer] = {}
    for server in servers:
        try:
            _check_server(server, accepted.setdefault(server.name, server))
            by_path.setdefault(server.source, []).append(server)
        except RecollectError as error:
            plan.refused[server.name] = str(error)
    for path, chosen in by_path.items():
        try:
            plan.files.append(_file_plan(path, chosen, env))
        except RecollectError as error:
            plan.refused[path] = f"{path} was left alone: {str(error).rstrip('.')}."
    return plan


def _check_server(server: HarnessServer, first: HarnessServer) -> None:
    """Raises RefusedError for a server that the gateway cannot take, or has another of that name."""
    if server.problem:
        raise RefusedError(server.problem)
    refuse_secrets(server.name, server.entry)
    own, other = (
        parse_upstream(item.name, dict(item.entry), item.source).server for item in (server, first)
    )
    if server.state == "different" or own != other:
        elsewhere = "the gateway" if server.state == "different" else first.source
        raise RefusedError(
            f"{server.source} and {elsewhere} have different servers named {server.name!r}; rename or "
            "remove one."
        )


def _file_plan(path: str, servers: Sequence[HarnessServer], env: Mapping[str, str]) -> FilePlan:
    before = after = _read(path)
    records = []
    for file in dict.fromkeys(server.file for server in servers):
        _check_writable(file.path, file.project if file.is_project else "")
        if file.is_project and not shutil.which(SHARED_SERVE[0], path=env.get("PATH", "")):
            raise RefusedError(
                "the file may be shared by a team, so it must name the command `recollect`, which is not "
                "on your PATH; `pipx install recollect` or `uv tool install recollect` puts it there"
            )
        words, variables = (SHARED_SERVE, ISOLATED) if file.is_project else (SERVE, {})
        names = [server.name for server in servers if server.file == file]
        record, after = planned(file, after, names, file.entry(words, variables))
        if redact(pieces(record))[1]:
            raise RefusedError("there is something that looks like a secret between its servers")
        records.append(record)
    return FilePlan(path, before, after, tuple(servers), tuple(records))


def take_over(gateway: Gateway, plan: FilePlan) -> list[str]:
    """Add the plan's servers to the gateway, and change the file. Returns the servers that are new there.

    Raises RefusedError if the file is no longer as it was when the plan was shown.
    """
    if _read(plan.path) != plan.before:
        raise RefusedError(f"{plan.path} has changed in the meantime; run the command again.")
    known = gateway.upstreams()
    added = [server for server in plan.servers if server.name not in known]
    for server in added:
        add_server(gateway, server)
    # The record first: a crash between the two leaves a record of a change that was not made, which restores
    # nothing, and never a change without a record.
    _save(gateway.folder, [*load_takeovers(gateway.folder), *plan.records])
    _write(plan.path, plan.after)
    return [server.name for server in added]


def restore_takeovers(folder: Path, project: str) -> list[Restored]:
    """Take back what was done to the user's files and to those in a project, the newest change first.

    A file that changed since keeps all other changes. One that cannot be restored stays on record.
    """
    records = load_takeovers(folder)
    outcomes: dict[str, Restored] = {}
    for record in reversed(records):
        if record.project and not paths.is_inside(record.project, project):
            continue
        outcome = _restore(record)
        worse = outcomes.get(record.path)
        if worse is None or worse.outcome == "restored" or outcome.outcome == "kept":
            outcomes[record.path] = outcome
        if outcome.outcome != "kept":
            records = [other for other in records if other is not record]
            _save(folder, records)
    return list(outcomes.values())


def _restore(record: Takeover) -> Restored:
    if not os.path.lexists(record.path):
        return Restored(record.path, "changed", "it no longer exists, and was not created again")
    try:
        text = _read(record.path)
        after, is_exact = restored(record, text)
        if after != text:
            _check_writable(record.path, "")
            _write(record.path, after)
    except RecollectError as error:
        names = ", ".join(record.servers)
        return Restored(record.path, "kept", f"{error}; restore what it had by hand: {names}")
    if is_exact:
        return Restored(record.path, "restored", "as it was before `gateway import --take-over`")
    return Restored(
        record.path,
        "changed",
        "it had changed; its servers are back, our entry is removed, and your changes are still there",
    )


def load_takeovers(folder: Path) -> list[Takeover]:
    """The changes on record, oldest first. Raises StoreError for a file that cannot be read."""
    path = folder / RECORDS_NAME
    try:
        document = json.loads(paths.read_plain(str(path), MOST_BYTES))
        return [parsed(row) for row in document["takeovers"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error}; it lists files to restore.") from None


def _save(folder: Path, records: Sequence[Takeover]) -> None:
    make_folder(folder)
    document = {"version": 1, "takeovers": [written(record) for record in records]}
    data = json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n"
    path = Path(os.path.realpath(folder)) / RECORDS_NAME
    atomic.write(path, data.encode(), str(path), private=True)


def _read(path: str) -> str:
    try:
        return paths.read_plain(path, MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError("it is not UTF-8") from None
    except OSError as error:
        raise RefusedError(f"it cannot be read ({error.strerror or error})") from None


def _check_writable(path: str, top: str) -> None:
    """Refuse a file of somebody else's, one that may not be written, and one outside of `top`."""
    real = Path(os.path.realpath(path))
    if top and not real.is_relative_to(os.path.realpath(top)):
        raise RefusedError("it is a link that leaves the project")
    if real.stat().st_uid != os.getuid():
        raise RefusedError("it belongs to another user")
    if not os.access(real, os.W_OK) or not os.access(real.parent, os.W_OK):
        raise RefusedError("you have no permission to write it")


def _write(path: str, text: str) -> None:
    """Replace a file, where a link leads to it: people keep their settings elsewhere and link them."""
    atomic.write(Path(os.path.realpath(path)), text.encode(), path)
