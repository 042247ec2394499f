"""The first line of a connection to the broker: the server that a client needs, or a question about servers.

Two clients share a process exactly when their requests are equal and do not forbid it.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from recollect.upstreams.jsonrpc import Json

PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """A server, with every variable replaced: it may hold secrets and is never written down."""

    name: str
    command: str
    arguments: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    folder: str
    roots: tuple[str, ...]
    log: str
    start_seconds: float
    idle_seconds: float
    max_calls: int
    shared: bool = True


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """A question to a running broker: the states of its servers, or the restart of those with a name."""

    action: Literal["states", "restart"]
    name: str = ""


def written_request(request: LeaseRequest | ControlRequest) -> bytes:
    """The line that opens a connection."""
    kind = "lease" if isinstance(request, LeaseRequest) else "control"
    return json.dumps({"v": PROTOCOL, kind: asdict(request)}).encode() + b"\n"


def parse_request(line: bytes) -> LeaseRequest | ControlRequest:
    """The request of a first line. Raises ValueError for anything else."""
    try:
        match json.loads(line):
            case {"v": 1, "lease": dict() as fields}:
                return _lease(fields)
            case {"v": 1, "control": {"action": "states" | "restart" as action, "name": str(name)}}:
                return ControlRequest(action, name)
    except (TypeError, KeyError, RecursionError):
        pass
    raise ValueError("the first line is not a request")


def _lease(fields: Json) -> LeaseRequest:
    known: dict[str, Any] = dict(fields)
    texts = (known["name"], known["command"], known["folder"], known["log"])
    lists = (known["arguments"], known["roots"], *known["env"])
    numbers = (known["start_seconds"], known["idle_seconds"], known["max_calls"])
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(isinstance(part, str) for parts in lists for part in parts)
        or not all(isinstance(number, int | float) for number in numbers)
    ):
        raise ValueError("the request has values of the wrong type")
    known["arguments"], known["roots"] = tuple(known["arguments"]), tuple(known["roots"])
    known["env"] = tuple((name, value) for name, value in known["env"])
    return LeaseRequest(**known)
