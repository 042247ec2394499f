"""Tools that changed since a person accepted them, and are blocked."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.gateway import Gateway
from recollect.app.review.source import ReviewAct, ReviewDecision, ReviewItem, ReviewOutcome
from recollect.errors import InvalidError, NotFoundError, NotPermittedError
from recollect.gateway.entry import digest_of
from recollect.gateway.pins import ScreenedTool
from recollect.records.json_format import JsonObject


@dataclass(frozen=True, slots=True)
class ToolChangeReview:
    """Changed tools. `refusal` says why whoever decides is no person; empty for one.

    `target` is SERVER or SERVER:TOOL, else every server. With `settled` those wait too that a person refused,
    who may change their mind.
    """

    gateway: Gateway
    refusal: str = ""
    target: str = ""
    settled: bool = False
    kind: str = "tool"

    def shown(self) -> list[ScreenedTool]:
        """Every tool to look at: blocked, flagged, or passing for one of another server.

        Raises NotFoundError for an unknown target.
        """
        tools = self.gateway.review(self.target)
        return [tool for tool in tools if tool.quarantine or tool.flags or tool.shadows]

    def items(self) -> Sequence[ReviewItem]:
        return [item for tool in self.gateway.review(self.target) if (item := self.item(tool))]

    def find(self, id: str) -> ReviewItem | None:
        return next((item for item in self.items() if item.id == id), None)

    def item(self, tool: ScreenedTool) -> ReviewItem | None:
        """A tool as something that waits; None if nothing about it does."""
        if not (tool.state == "changed" or (self.settled and tool.state == "rejected")):
            return None
        flags = (f"flagged, {flag.where}: {flag.reason}: {flag.excerpt}" for flag in tool.flags)
        return ReviewItem(
            self.kind,
            _id(tool),
            tool.id,
            "its description changed since you accepted it, so it is blocked",
            {} if self.refusal else {"keep": "accept the change", "drop": "refuse the change"},
            (*tool.differences, *flags, *tool.shadows, *([self.refusal] if self.refusal else [])),
            asks=frozenset({"keep", "drop"}),
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if not self.decide([item], decision.act):
            raise NotFoundError(
                f"{item.title!r} changed again since it was shown; look at it once more."
            )
        if decision.act == "keep":
            return ReviewOutcome(f"Accepted {item.title}.")
        return ReviewOutcome(f"Refused {item.title}: it stays blocked.")

    def decide(self, items: Sequence[ReviewItem], act: ReviewAct) -> list[str]:
        """Accept or refuse the versions that were shown; the tools whose version is still that one."""
        if self.refusal:
            raise NotPermittedError(self.refusal)
        ids = {item.id for item in items}
        tools = [tool for tool in self.gateway.review(self.target) if _id(tool) in ids] if ids else []
        if act == "keep":
            self.gateway.accept(tools)
        else:
            self.gateway.reject(tools)
        return [tool.id for tool in tools]

    def undo(self, data: JsonObject) -> None:  # noqa: ARG002 - no act gives any
        raise InvalidError(
            "a decision about a tool cannot be undone; `recollect gateway review` changes it."
        )


def _id(tool: ScreenedTool) -> str:
    """The tool and the version that it is listed with."""
    return f"{tool.id} {digest_of(tool.listed)[:12]}"
