from pathlib import Path

from tests.redaction.sample_keys import ISSUED
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.records.scrub import scrub

KEY = ISSUED["github token"][0]


def spoil(project: Recollect) -> Path:
    """A memory with a secret in it, put there past the gate as a hand edit would."""
    project.memories.save(draft("Sign a JWT at login"))
    path = next(project.project.root.path.glob("decisions/*.json"))
    path.write_text(path.read_text("utf-8").replace("Sign a JWT at login", f"Sign with {KEY}"), "utf-8")
    return path


def test_a_secret_in_a_file_is_found_and_nothing_is_written(project: Recollect) -> None:
    path = spoil(project)
    before = path.read_bytes()

    found = scrub(project.memories, fix=False)

    assert [(one.field, one.kind) for one in found[0].findings] == [
        ("title", "github token"),
        ("content.decision", "github token"),
    ]
    assert not found[0].fixed
    assert path.read_bytes() == before


@requirement("redaction:scan:fixes")
def test_fixing_takes_the_secret_out_and_changes_nothing_else(project: Recollect) -> None:
    path = spoil(project)
    before = path.read_text("utf-8")

    assert scrub(project.memories, fix=True)[0].fixed

    assert path.read_text("utf-8") == before.replace(KEY, "[REDACTED]")
    assert KEY not in (project.project.root.path / "index.md").read_text("utf-8")
    assert scrub(project.memories, fix=True) == []
