"""Looking and mending as a whole."""

import json
from pathlib import Path

from tests.health.conftest import Examine, Git
from tests.health.files import put, write
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.health.finding import Level
from recollect.records.categories import Category


def ruined(root: Path, git: Git) -> None:
    """A root with one of everything that can be mended, and some that cannot."""
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "Begin")
    put(root, id="older")
    put(root, id="newer", links=[{"type": "supersedes", "target": "mem:older"}])
    noisy = put(root, Category.RUNBOOK, id="noisy")
    noisy.write_bytes(b"\xef\xbb\xbf" + noisy.read_bytes().replace(b"\n", b"\r\n"))
    write(root, ".x.json.1.recollect-tmp", b"")
    write(root, "broken.json", b"{")
    (root / "misplaced.json").write_text("{}")
    put(root, id="dangling", links=[{"type": "caused", "target": "mem:nobody"}])


def test_the_worst_comes_first(root: Path, git: Git, examine: Examine) -> None:
    ruined(root, git)

    levels = [finding.level for finding in examine()]

    assert levels == sorted(levels, key=list(Level).index)
    assert {Level.ERROR, Level.WARNING, Level.NOTE} == set(levels)


def test_a_second_look_finds_only_what_a_person_must_mend(
    root: Path, git: Git, examine: Examine, fix: Examine
) -> None:
    ruined(root, git)
    fixable = [finding for finding in examine() if finding.fix]

    assert fix() == fixable
    assert {finding.check for finding in examine()} == {"unreadable", "dangling-link", "stray-file"}
    assert fix() == []


@requirement("health:doctor:says-the-same")
def test_mending_never_changes_what_a_memory_says(
    root: Path, git: Git, project: Recollect, fix: Examine
) -> None:
    ruined(root, git)
    kept = ("id", "title", "tags", "content", "created_at", "links", "record_status")

    def said() -> dict[str, object]:
        found = {stored.memory.id: stored.memory.document for stored in project.memories.scan().stored}
        return {id: [record.get(name) for name in kept] for id, record in found.items()}

    before, broken = said(), (root / "decisions" / "broken.json").read_bytes()
    fix()

    assert said() == before
    assert (root / "decisions" / "broken.json").read_bytes() == broken


def test_looking_changes_no_byte(root: Path, git: Git, examine: Examine) -> None:
    ruined(root, git)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    examine()

    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_every_finding_says_what_to_do(root: Path, git: Git, examine: Examine) -> None:
    ruined(root, git)

    for finding in examine():
        assert finding.message
        assert len(finding.advice) > 8, finding


def test_what_a_dead_writer_left_is_mended_when_the_project_is_opened(
    root: Path, project: Recollect, examine: Examine
) -> None:
    project.memories.save(draft())
    (root / ".recollect" / "writing").touch()
    write(root, ".x.json.1.recollect-tmp", b"half")
    (root / "index.md").write_text("half an ind")

    assert {finding.check for finding in examine()} == {"identity"}


def test_a_driver_that_git_will_not_take_is_not_called_mended(
    root: Path, git: Git, fix: Examine
) -> None:
    git("init", "-q")
    lock = root.parent.parent / ".git" / "config.lock"
    lock.touch()  # as while another git writes its configuration

    assert "merge-driver" not in {finding.check for finding in fix()}


def test_the_users_root_is_looked_at_when_there_is_one(project: Recollect) -> None:
    assert len(project.upkeep.examine()) == 1
    user = project.user_space.store.root.path
    user.mkdir(parents=True)
    (user / "decisions").mkdir()
    (user / "decisions" / "x.json").write_text(json.dumps({}))

    findings = project.upkeep.examine()[1].findings

    assert findings[0].path == str(user / "decisions" / "x.json")
