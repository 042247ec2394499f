"""The adapters of `DraftStore`. A second one adds one factory to the list."""

from collections.abc import Callable
from pathlib import Path

from recollect.records.redaction_port import RedactionGate
from recollect.storage.files.drafts import FileDrafts
from recollect.working.ports import DraftStore

OpenDrafts = Callable[[Path, RedactionGate], DraftStore]


def file_drafts(folder: Path, gate: RedactionGate) -> DraftStore:
    return FileDrafts(folder, gate)


DRAFT_STORES: list[OpenDrafts] = [file_drafts]
