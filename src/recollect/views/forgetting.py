"""What forgetting a memory does, or did."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from recollect.app.forgetting import ForgetPlan, Forgotten


class HolderRow(TypedDict):
    """A link of another memory to the one that is forgotten."""

    id: str
    type: str


class ForgetOutput(TypedDict):
    """`forget`. Without `--yes` nothing is deleted: `forgotten` is false.

    `linked_from` are links of others, which are removed; `ended` stay out of force although what replaced
    them is gone, `revived` come back into force. `drafts` were dropped too, and `remains` says what still has
    some of it.
    """

    id: str
    path: str
    forgotten: bool
    linked_from: list[HolderRow]
    ended: list[str]
    revived: list[str]
    commits: int
    drafts: list[str]
    remains: list[str]


def forget_output(plan: "ForgetPlan", done: "Forgotten | None" = None) -> ForgetOutput:
    """A plan, and what was done of it."""
    return {
        "id": plan.stored.memory.id,
        "path": plan.stored.path,
        "forgotten": done is not None,
        "linked_from": [
            {"id": edge.source.removeprefix("mem:"), "type": edge.type.value} for edge in plan.holders
        ],
        "ended": list(plan.ended),
        "revived": list(plan.revived),
        "commits": plan.commits,
        "drafts": list(done.drafts) if done else [],
        "remains": list(done.remains) if done else [],
    }
