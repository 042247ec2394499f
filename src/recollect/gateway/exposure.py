"""Which tools of upstream servers does a client see beside the meta-tools?"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.gateway.tool import UpstreamTool

Mode = Literal["meta", "proxy", "hybrid"]


@dataclass(frozen=True, slots=True)
class Exposure:
    """What a client sees and may do. `servers` None: of all; `tokens` is the budget of `hybrid`.

    `asks_person`: the user trusts the client to put a question to a person, not to answer it itself.
    `speculates`: calls that only read may run ahead, on servers that the user trusts for it.
    """

    mode: Mode = "meta"
    servers: frozenset[str] | None = None
    pinned: tuple[str, ...] = ()
    tokens: int = 0
    asks_person: bool = False
    speculates: bool = True

    def sees(self, server: str) -> bool:
        """Whether the tools of a server can be found and called."""
        return self.servers is None or server in self.servers


def parse_exposure(
    mode: Mode,
    servers: str,
    pinned: str,
    tokens: int,
    *,
    asks_person: bool = False,
    speculates: bool = True,
) -> Exposure:
    """The exposure that settings describe."""
    return Exposure(
        mode,
        None if servers == "all" else frozenset(_names(servers)),
        () if pinned == "none" else tuple(_names(pinned)),
        tokens,
        asks_person,
        speculates,
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def listed_tools(
    exposure: Exposure,
    tools: Sequence[UpstreamTool],
    costs: Mapping[str, int],
    calls: Mapping[str, int],
) -> Collection[UpstreamTool]:
    """The tools that are listed by their own names. `costs` and `calls` are by id.

    `hybrid` takes the pinned ones, then the most used, while they fit the budget; what was never called has
    to be discovered.
    """
    if exposure.mode == "meta":
        return ()
    if exposure.mode == "proxy":
        return tools
    by_id = {tool.id: tool for tool in tools}
    used = sorted((id for id in by_id if calls.get(id)), key=lambda id: (-calls[id], id))
    chosen: dict[str, UpstreamTool] = {}
    left = exposure.tokens
    for id in (*exposure.pinned, *used):
        if id in by_id and id not in chosen and costs[id] <= left:
            chosen[id] = by_id[id]
            left -= costs[id]
    return list(chosen.values())
