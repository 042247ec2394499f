"""The six categories by name, and where each lives: all that a hook needs to know of them."""

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
        """The word people see: `TECH_DEBT`."""
        return self.value.upper()


FOLDERS: dict[str, Category] = {
    "decisions": Category.DECISION,
    "constraints": Category.CONSTRAINT,
    "preferences": Category.PREFERENCE,
    "runbooks": Category.RUNBOOK,
    "tech-debt": Category.TECH_DEBT,
    "sessions": Category.SESSION_SUMMARY,
}
FOLDER_OF: dict[Category, str] = {category: folder for folder, category in FOLDERS.items()}
