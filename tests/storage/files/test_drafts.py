"""Drafts as files. What every draft store does is in `tests/conformance/drafts`."""

from pathlib import Path

from tests.requirements import requirement

from recollect.redaction.gate import gate
from recollect.storage.files.drafts import FOLDER, FileDrafts


@requirement("working:drafts:broken")
def test_a_file_that_is_no_draft_is_skipped(tmp_path: Path) -> None:
    drafts = FileDrafts(tmp_path, gate)
    drafts.put("session-s1", {"title": "Rename the column"})
    for name, text in (("half", "{"), ("list", "[]"), (".hidden", "{}")):
        (tmp_path / FOLDER / f"{name}.json").write_text(text)

    assert [draft.name for draft in drafts.all()] == ["session-s1"]
