"""Files that are written as they are: a copy of a database, and a project that is moved out of one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.samples import document

from recollect.app.project import Recollect
from recollect.records.json_format import render
from recollect.storage.files.store import FileStore


def test_files_of_a_killed_copy_bring_nothing_about(
    project: Recollect, folder: Path, reopen: Callable[[], Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that are written as they are stay so: recovery tidies up and changes no memory."""
    root = folder / ".claude" / "memory"
    links = [{"type": "supersedes", "target": "mem:old"}]
    files = {
        "decisions/old.json": render(document(id="old")).replace(b"\n", b"\r\n"),
        "decisions/new.json": render(document(id="new", links=links)),
    }

    def die(_store: FileStore, _text: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FileStore, "_put_inventory", die)
        with pytest.raises(KeyboardInterrupt):
            project.space.store.put_files(files)
    mark = root / ".recollect" / "copying"
    assert mark.stat().st_mode & 0o777 == 0o600

    assert reopen().memories.get("old").memory.valid_to is None

    assert {f"decisions/{path.name}": path.read_bytes() for path in root.glob("*/*.json")} == files
    assert (root / "index.md").read_text().count(".json") == 2
    assert not mark.exists()
