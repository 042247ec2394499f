"""The six categories, and the folder where each lives."""

from enum import StrEnum

from recollect.records.folders import FOLDER_NAMES


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


FOLDERS: dict[str, Category] = {folder: Category(name) for name, folder in FOLDER_NAMES.items()}
FOLDER_OF: dict[Category, str] = {category: folder for folder, category in FOLDERS.items()}
