"""The categories by name, and the folder of each: all that a hook needs to know about them.

`records.categories` says what each category is for and which fields it has.
"""

from enum import StrEnum


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


FOLDER_OF: dict[Category, str] = {
    Category.DECISION: "decisions",
    Category.CONSTRAINT: "constraints",
    Category.PREFERENCE: "preferences",
    Category.RUNBOOK: "runbooks",
    Category.TECH_DEBT: "tech-debt",
    Category.SESSION_SUMMARY: "sessions",
}
FOLDERS: dict[str, Category] = {folder: category for category, folder in FOLDER_OF.items()}
