"""Grants: a person approves calls beforehand, within bounds: tool, arguments, how often, until when."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from hashlib import sha256

from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.vault.json_path import parse_path, select
from recollect.records.json_format import Json

MOST_USES = 1_000


@dataclass(frozen=True, slots=True)
class Grant:
    """Covers calls of one tool. `arguments` has a pattern for each argument, in which `*` is anything.

    An argument that is not named must not be there, so that a grant covers no more than a person read.
    `expires` is a moment, of one that is used up that of its last use; `uses` counts what is left.
    """

    id: str
    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    uses: int = 1
    expires: str = ""
    by: str = ""

    def refusal(self, arguments: Mapping[str, Json], now: str) -> str:
        """Why the grant does not cover a call of its tool at this moment; '' if it does."""
        if self.uses < 1:
            return f"the grant {self.id} has no uses left"
        if now >= self.expires:
            return f"the grant {self.id} ended at {self.expires}"
        return "" if self._matches(arguments) else f"the grant {self.id} is for other arguments"

    def _matches(self, arguments: Mapping[str, Json]) -> bool:
        return set(arguments) == {path.split(".")[0].split("[")[0] for path in self.arguments} and all(
            _matches(arguments, path, pattern) for path, pattern in self.arguments.items()
        )


def check_grant(grant: Grant, now: str) -> None:
    """Raises RefusedError for a grant without bounds."""
    if not grant.tool or any(sign in grant.tool for sign in "*?["):
        raise RefusedError(f"a grant is for one tool; {grant.tool!r} is not a tool.")
    if not 1 <= grant.uses <= MOST_USES:
        raise RefusedError(f"a grant covers 1 to {MOST_USES:,} calls, not {grant.uses}.")
    if grant.expires <= now:
        raise RefusedError(f"{grant.expires!r} is not in the future.")


def call_digest(run: str, number: int, task: str, tool: str, arguments: Mapping[str, Json]) -> str:
    """The name of a call that is asked about after event `number`: an approval is for it and no other."""
    call = json.dumps([run, number, task, tool, arguments], sort_keys=True, ensure_ascii=True)
    return sha256(call.encode()).hexdigest()[:16]


def _matches(arguments: Mapping[str, Json], path: str, pattern: str) -> bool:
    try:
        reached = select(dict(arguments), parse_path(path))
    except (NotFoundError, RefusedError):
        return False
    return all(fnmatchcase(_text(value), pattern) for _, value in reached)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
