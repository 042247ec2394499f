"""What each category is for, which fields its content has, and how it ranks where hits tie."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.paths import MEMORY_FOLDERS
from recollect.records.fields import Choice, Field, Flag, Listing, Object, Text


class Category(StrEnum):
    """The kind of a memory."""

    DECISION = "decision"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"
    RUNBOOK = "runbook"
    TECH_DEBT = "tech_debt"
    SESSION_SUMMARY = "session_summary"

    @property
    def label(self) -> str:
        """The category as people see it: `TECH_DEBT`."""
        return self.value.upper()

    @property
    def folder(self) -> str:
        """Where its memories are stored, inside the memory root."""
        return MEMORY_FOLDERS[self.value]


@dataclass(frozen=True, slots=True)
class Shape:
    """A category's purpose and the fields of its content. A lower `priority` wins a tie."""

    category: Category
    priority: int
    purpose: str
    fields: tuple[Field, ...]


_LINE = Text(min_length=1)
_LINES = Listing(Text())
_SOME_LINES = Listing(Text(), min_items=1)
_ALTERNATIVE = Object(
    (
        Field("option", _LINE, "what was not chosen", required=True),
        Field("rejected_reason", Text(), "why not", required=True),
    )
)
_EXAMPLES = Object(
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
                "the state of the decision",
                required=True,
            ),
            Field("context", _LINE, "the situation that required a choice", required=True),
            Field("decision", _LINE, "what was chosen", required=True),
            Field("rationale", _SOME_LINES, "the reasons", required=True),
            Field("alternatives", Listing(_ALTERNATIVE), "what was not chosen, and why not"),
            Field("consequences", _LINES, "trade-offs, risks, follow-up work"),
        ),
    ),
    Shape(
        Category.CONSTRAINT,
        2,
        "something that must, or must not, be done",
        (
            Field(
                "kind",
                Choice(("limitation", "gap", "policy", "technical")),
                "the kind of constraint",
                required=True,
            ),
            Field("rule", _LINE, "the constraint in one sentence", required=True),
            Field("impact", _SOME_LINES, "what it prevents or affects", required=True),
            Field("severity", Choice(("high", "medium", "low")), "how severe it is", required=True),
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
        "how to fix something that goes wrong",
        (
            Field("trigger", _LINE, "what triggers it: an error, a symptom", required=True),
            Field("steps", _SOME_LINES, "what to do, in order", required=True),
            Field("verification", _LINE, "how to check that it worked", required=True),
            Field("symptoms", _LINES, "what it looks like"),
            Field("root_cause", Text(), "why it happens"),
            Field("environment", Text(), "where it applies"),
        ),
    ),
    Shape(
        Category.TECH_DEBT,
        5,
        "deferred work, and what it costs",
        (
            Field(
                "status",
                Choice(("open", "in_progress", "resolved", "wont_fix")),
                "the state of the work",
                required=True,
            ),
            Field(
                "priority",
                Choice(("critical", "high", "medium", "low")),
                "how urgent it is",
                required=True,
            ),
            Field("description", _LINE, "what the debt is", required=True),
            Field("reason_deferred", _LINE, "why it was deferred", required=True),
            Field("impact", _LINES, "what it costs to leave it as it is"),
            Field("suggested_fix", _LINES, "how to fix it"),
            Field("acceptance_criteria", _LINES, "how to check that it is fixed"),
        ),
    ),
    Shape(
        Category.SESSION_SUMMARY,
        6,
        "where a session left off",
        (
            Field("goal", _LINE, "the goal of the session", required=True),
            Field(
                "outcome",
                Choice(("success", "partial", "blocked", "abandoned")),
                "how it ended",
                required=True,
            ),
            Field("completed", _LINES, "what was done", required=True),
            Field("next_actions", _LINES, "what comes next", required=True),
            Field("in_progress", _LINES, "what was started"),
            Field("blockers", _LINES, "what blocks progress"),
            Field("key_changes", _LINES, "what was changed"),
        ),
    ),
)
SHAPES: dict[Category, Shape] = {shape.category: shape for shape in _SHAPES}
FOLDERS: dict[str, Category] = {category.folder: category for category in Category}
