"""What each category is for, which fields its content has, and how it ranks where hits tie."""

from dataclasses import dataclass

from recollect.records.category_folders import FOLDER_OF, FOLDERS, Category
from recollect.records.fields import Choice, Field, Flag, Listing, Table, Text


@dataclass(frozen=True, slots=True)
class Shape:
    """A category's purpose and the fields of its content. A lower `priority` wins a tie."""

    category: Category
    priority: int
    purpose: str
    fields: tuple[Field, ...]

    @property
    def folder(self) -> str:
        """Where its memories are stored, inside the memory root."""
        return FOLDER_OF[self.category]


_LINE = Text(min_length=1)
_LINES = Listing(Text())
_SOME_LINES = Listing(Text(), min_items=1)
_ALTERNATIVE = Table(
    (
        Field("option", _LINE, "what was not chosen", required=True),
        Field("rejected_reason", Text(), "why not", required=True),
    )
)
_EXAMPLES = Table(
    (
        Field("prefer", _LINES, "how it should look"),
        Field("avoid", _LINES, "how it should not look"),
    )
)

_SHAPES = (
    Shape(
        Category.DECISION,
        1,
        "a choice that was made, and why",
        (
            Field(
                "status",
                Choice(("proposed", "accepted", "rejected", "deprecated", "superseded")),
                "where the decision stands",
                required=True,
            ),
            Field("context", _LINE, "the situation that asked for a choice", required=True),
            Field("decision", _LINE, "what was chosen", required=True),
            Field("rationale", _SOME_LINES, "the reasons", required=True),
            Field("alternatives", Listing(_ALTERNATIVE), "what was not chosen, and why not"),
            Field("consequences", _LINES, "trade-offs, risks, follow-up work"),
        ),
    ),
    Shape(
        Category.CONSTRAINT,
        2,
        "something that cannot be done, or must be",
        (
            Field(
                "kind",
                Choice(("limitation", "gap", "policy", "technical")),
                "what sort of constraint it is",
                required=True,
            ),
            Field("rule", _LINE, "the constraint in one sentence", required=True),
            Field("impact", _SOME_LINES, "what it prevents or affects", required=True),
            Field("severity", Choice(("high", "medium", "low")), "how much it binds", required=True),
            Field("active", Flag(), "whether it is in force", required=True),
            Field("workarounds", _LINES, "known ways around it"),
            Field("expires", Text(), "the date or condition that ends it"),
        ),
    ),
    Shape(
        Category.PREFERENCE,
        3,
        "how things should be done here",
        (
            Field("topic", _LINE, "what it is about: testing, naming, tooling", required=True),
            Field("value", _LINE, "the preference as a directive", required=True),
            Field("reason", _LINE, "why it is preferred", required=True, since="1.1"),
            Field(
                "strength",
                Choice(("strong", "default", "soft")),
                "how strictly to follow it",
                required=True,
            ),
            Field("examples", _EXAMPLES, "what to prefer and what to avoid"),
        ),
    ),
    Shape(
        Category.RUNBOOK,
        4,
        "how to fix a thing that goes wrong",
        (
            Field("trigger", _LINE, "what sets it off: an error, a symptom", required=True),
            Field("steps", _SOME_LINES, "what to do, in order", required=True),
            Field("verification", _LINE, "how to know that it worked", required=True),
            Field("symptoms", _LINES, "what it looks like"),
            Field("root_cause", Text(), "why it happens"),
            Field("environment", Text(), "where it applies"),
        ),
    ),
    Shape(
        Category.TECH_DEBT,
        5,
        "work put off, and its price",
        (
            Field(
                "status",
                Choice(("open", "in_progress", "resolved", "wont_fix")),
                "where it stands",
                required=True,
            ),
            Field(
                "priority",
                Choice(("critical", "high", "medium", "low")),
                "how soon to pay it",
                required=True,
            ),
            Field("description", _LINE, "what the debt is", required=True),
            Field("reason_deferred", _LINE, "why it was put off", required=True),
            Field("impact", _LINES, "what it costs to leave it"),
            Field("suggested_fix", _LINES, "how to pay it"),
            Field("acceptance_criteria", _LINES, "how to know that it is paid"),
        ),
    ),
    Shape(
        Category.SESSION_SUMMARY,
        6,
        "where a session left off",
        (
            Field("goal", _LINE, "what the session was for", required=True),
            Field(
                "outcome",
                Choice(("success", "partial", "blocked", "abandoned")),
                "how it ended",
                required=True,
            ),
            Field("completed", _LINES, "what got done", required=True),
            Field("next_actions", _LINES, "what comes next", required=True),
            Field("in_progress", _LINES, "what was begun"),
            Field("blockers", _LINES, "what stands in the way"),
            Field("key_changes", _LINES, "what was changed"),
        ),
    ),
)
SHAPES: dict[Category, Shape] = {shape.category: shape for shape in _SHAPES}

__all__ = ["FOLDERS", "SHAPES", "Category", "Shape"]
