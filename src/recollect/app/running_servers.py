"""The servers that a broker runs now. A question to the broker that runs; none is ever started for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.upstreams.broker_client import ask
from recollect.upstreams.lease_request import ControlRequest

_WORST_LAST = ("closed", "half-open", "open")


@dataclass(frozen=True, slots=True)
class Running:
    """What runs under the name of one server: clients that differ have processes of their own."""

    clients: int = 0
    calls: int = 0
    pids: tuple[int, ...] = ()
    failures: int = 0
    breaker: str = "closed"


def running_servers(folder: Path) -> dict[str, Running]:
    """What the broker of a folder runs, by the names of servers."""
    answer = ask(folder, ControlRequest("states"))
    by_name: dict[str, list[dict[str, Any]]] = {}
    for state in answer["servers"] if answer else ():
        by_name.setdefault(state["name"], []).append(state)
    return {name: _together(states) for name, states in by_name.items()}


def restart_server(folder: Path, name: str) -> int:
    """Stop the processes of a server and forget its failures; how many ran."""
    running = running_servers(folder).get(name, Running())
    ask(folder, ControlRequest("restart", name))
    return len(running.pids)


def _together(states: list[dict[str, Any]]) -> Running:
    return Running(
        clients=sum(state["clients"] for state in states),
        calls=sum(state["calls"] for state in states),
        pids=tuple(sorted(state["pid"] for state in states if state["pid"] is not None)),
        failures=sum(state["failures"] for state in states),
        breaker=max((state["breaker"] for state in states), key=_WORST_LAST.index),
    )
