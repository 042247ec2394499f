"""Tools that changed since a person accepted them, and are blocked."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.gateway import Gateway
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.errors import InvalidError, NotPermittedError
from recollect.gateway.entry import digest_of
from recollect.gateway.pins import ScreenedTool
from recollect.records.json_format import JsonObject


@dataclass(frozen=True, slots=True)
class ToolChangeReview:
    """Changed tools. `refusal` says why whoever decides is no person; empty for one."""

    gateway: Gateway
    refusal: str = ""
    kind: str = "tool"

    def items(self) -> Sequence[ReviewItem]:
        return [self._item(tool) for tool in self.gateway.review() if tool.state == "changed"]

    def _item(self, tool: ScreenedTool) -> ReviewItem:
        flags = (f"flagged, {flag.where}: {flag.reason}: {flag.excerpt}" for flag in tool.flags)
        return ReviewItem(
            self.kind,
            f"{tool.id} {digest_of(tool.listed)[:12]}",
            tool.id,
            "its description changed since you accepted it, so it is blocked",
            {} if self.refusal else {"keep": "accept the change", "drop": "refuse the change"},
            (*tool.differences, *flags, *tool.shadows, *([self.refusal] if self.refusal else [])),
            asks=frozenset({"keep", "drop"}),
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if self.refusal:
            raise NotPermittedError(self.refusal)
        tools = self.gateway.review(
            item.title
        )  # the version in the item's id is the one that was shown
        if decision.act == "keep":
            self.gateway.accept(tools)
            return ReviewOutcome(f"Accepted {item.title}.")
        self.gateway.reject(tools)
        return ReviewOutcome(f"Refused {item.title}: it stays blocked.")

    def undo(self, data: JsonObject) -> None:  # noqa: ARG002 - no act gives any
        raise InvalidError(
            "a decision about a tool cannot be undone; `recollect gateway review` changes it."
        )
