"""Sources on disk: recognised and read."""

import os
from pathlib import Path

import pytest
from tests.importing.conftest import Write
from tests.importing.texts import MADR, NYGARD, RULES
from tests.samples import document

from recollect.errors import NotFoundError, RefusedError
from recollect.importing import export, sources
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.sources import SourceKind, detect, read
from recollect.records.json_format import JsonObject, render


@pytest.mark.parametrize(
    ("files", "name", "kind"),
    [
        ({"decisions/a.json": "{}"}, "", SourceKind.CLAUDE_MEMORY),
        ({"memory-config.json": "{}"}, "", SourceKind.CLAUDE_MEMORY),
        ({"decisions/0001-a.md": "# A"}, "", SourceKind.ADR),
        ({"deep/er/0001-a.md": "# A"}, "", SourceKind.ADR),
        ({"0001-a.md": "# A"}, "0001-a.md", SourceKind.ADR),
        ({"CLAUDE.md": "- A"}, "CLAUDE.md", SourceKind.RULES),
        ({"AGENTS.md": "- A"}, "AGENTS.md", SourceKind.RULES),
        ({"GEMINI.md": "- A"}, "GEMINI.md", SourceKind.RULES),
        ({".cursorrules": "- A"}, ".cursorrules", SourceKind.RULES),
        ({"rules": "- A"}, "rules", SourceKind.RULES),
        ({"a.mdc": "- A", "b.mdc": "- B"}, "", SourceKind.RULES),
        ({"x.json": '{"format": "recollect-export"}'}, "x.json", SourceKind.EXPORT),
    ],
)
def test_a_source_is_recognised(
    files: dict[str, str], name: str, kind: SourceKind, write: Write
) -> None:
    assert detect(write("source", files) / name) is kind


@pytest.mark.parametrize(
    ("files", "name"), [({"a.png": ""}, ""), ({"a.json": "{}"}, "a.json"), ({"a.txt": "A"}, "a.txt")]
)
def test_what_is_not_understood_is_refused_with_what_is(
    files: dict[str, str], name: str, write: Write
) -> None:
    with pytest.raises(RefusedError, match="Supported: a claude-memory folder"):
        read(write("source", files) / name)


def test_a_path_that_leads_nowhere_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        read(tmp_path / "nowhere", SourceKind.ADR)


def test_files_that_cannot_be_read_are_skipped_with_the_reason(write: Write, folder: Path) -> None:
    path = write("docs/adr", NYGARD | {"b.rst": "A", "huge.md": "a" * (sources.MAX_TEXT + 1)})
    (path / "latin.md").write_bytes("# Caf\xe9".encode("latin-1"))
    (path / "CLAUDE.md").write_bytes(RULES.encode())
    os.mkfifo(path / "pipe.md")
    (path / "node_modules").mkdir()
    (path / "node_modules/x.md").write_bytes(b"# X")
    found = {thing.origin: thing for thing in read(path, base=folder) if isinstance(thing, Skipped)}

    assert {origin.removeprefix("docs/adr/"): thing.reason for origin, thing in found.items()} == {
        "b.rst": "not Markdown; ADRs are read from .md files",
        "huge.md": "524,289 bytes; at most 524,288 are read",
        "latin.md": "line 1: not UTF-8; save the file as UTF-8",
        "CLAUDE.md": "a rules file; import it by its own path",
        "pipe.md": "not a plain file",
    }


def test_one_adr_is_read_by_its_path(write: Write, folder: Path) -> None:
    path = write("docs/adr", MADR) / "0011-log.md"
    (found,) = read(path, base=folder)

    assert isinstance(found, Incoming)
    assert found.origin == "docs/adr/0011-log.md"
    assert [edge.older for edge in found.successions] == ["docs/adr/0005-queue.md"]


def test_every_rules_file_of_a_folder_is_read(write: Write, folder: Path) -> None:
    path = write(
        "rules.d", {"a.mdc": "---\nglobs: x\n---\n- Use A\n", "b.mdc": "- Use B\n", "c.txt": "- C"}
    )

    assert [thing.origin for thing in read(path, base=folder)] == [
        "rules.d/a.mdc",  # its front matter
        "rules.d/a.mdc#top/use-a",
        "rules.d/b.mdc#top/use-b",
    ]


def test_an_export_is_read_from_its_file(write: Write, folder: Path) -> None:
    path = folder / "all.json"
    whole: JsonObject = {"format": export.FORMAT, "version": 1, "memories": [document()]}
    path.write_bytes(b"\xef\xbb\xbf" + render(whole))

    assert [thing.origin for thing in read(path, base=folder)] == ["all.json#a-decision"]


def test_a_source_outside_the_project_is_named_as_given(tmp_path: Path) -> None:
    assert sources.origin_of(Path("../other/a.md"), tmp_path) == "../other/a.md"
    assert sources.origin_of(tmp_path / "b" / ".." / "a.md", tmp_path) == "a.md"
