"""Drafts as files. What every draft store does is in `tests/conformance/drafts`."""

import os
import time
from pathlib import Path

from tests.requirements import requirement

from recollect.paths import DRAFTS_FOLDER
from recollect.redaction.gate import gate
from recollect.storage.files.drafts import FileDrafts


def test_a_file_that_is_no_draft_is_skipped(tmp_path: Path) -> None:
    drafts = FileDrafts(tmp_path, gate)
    drafts.put("session-s1", {"title": "Rename the column"})
    for name, text in (("half", "{"), ("list", "[]"), (".hidden", "{}")):
        (tmp_path / DRAFTS_FOLDER / f"{name}.json").write_text(text)

    assert [draft.name for draft in drafts.all()] == ["session-s1"]


@requirement("working:drafts:leftovers")
def test_the_next_draft_removes_the_temp_files_of_killed_hooks(tmp_path: Path) -> None:
    drafts = FileDrafts(tmp_path, gate)
    drafts.put("session-s1", {"title": "Rename the column"})
    killed, writing = (tmp_path / DRAFTS_FOLDER / f".s{n}.json.{n}.recollect-tmp" for n in (1, 2))
    killed.touch()
    writing.touch()
    os.utime(killed, times=(time.time() - 7200,) * 2)

    drafts.put("session-s2", {"title": "Rename the table"})

    assert (killed.exists(), writing.exists()) == (False, True)
