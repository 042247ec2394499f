"""Runbooks that name an error."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.records.categories import Category
from recollect.records.json_format import Json
from recollect.records.memories import Saved
from recollect.storage.sqlite.runbooks import SqliteRunbooks
from recollect.storage.sqlite.state import now
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

ERROR = "ff0ed2bdb79723db"


def runbook(
    project: Recollect,
    title: str,
    *symptoms: Json,
    category: Category = Category.RUNBOOK,
    **fields: Json,
) -> str:
    told: dict[str, Json] = {"symptoms": list(symptoms)} if category is Category.RUNBOOK else {}
    rule: dict[str, Json] = {} if told else {"rule": f"Never rename; {symptoms[0]}"}
    made = draft(title, category, content=told | rule, **fields)
    saved = project.memories.save(made, allow_repeat=True)
    assert isinstance(saved, Saved)
    return saved.stored.memory.id


@requirement("working:fingerprint:runbook")
def test_only_runbooks_in_use_that_name_the_error_are_found(project: Recollect) -> None:
    wanted = runbook(project, "Run the migration first", f"fingerprint {ERROR}")
    retired = runbook(project, "Drop the table", f"fingerprint {ERROR}")
    project.memories.retire(retired, "wrong")
    runbook(project, "Restart the worker", "fingerprint 0000000000000000")
    runbook(project, "Never rename", f"fingerprint {ERROR}", category=Category.CONSTRAINT)
    project.finder.index.update()
    path = project.project.root.state / "index.db"

    assert SqliteRunbooks(str(path)).naming(ERROR, now()) == [f"mem:{wanted}"]
    assert SqliteRunbooks(str(path.with_name("none.db"))).naming("", now()) == []


@requirement("working:fingerprint:runbook")
@pytest.mark.parametrize(
    "error",
    [
        "abcdefabcdefabed",
        "0123456789abceed",
        "deadbeefdeadbeef",
        "1234567890123456",
        "ffffffffffffbbed",
    ],
)
def test_a_fingerprint_that_is_stemmed_like_a_word_is_found(error: str, project: Recollect) -> None:
    wanted = runbook(project, "Run the migration first", f"fingerprint {error}")
    runbook(project, "Restart the worker", f"fingerprint {error[:-1]}0")
    project.finder.index.update()

    path = project.project.root.state / "index.db"
    assert SqliteRunbooks(str(path)).naming(error, now()) == [f"mem:{wanted}"]


@given(st.text("0123456789abcdef", min_size=16, max_size=16))
def test_stemming_leaves_the_beginning_of_a_fingerprint_alone(error: str) -> None:
    """The lookup asks for the beginning alone, so that it needs no tokens and stems of its own."""
    assert stems(tokens(error))[0][:10] == error[:10]


@requirement("working:fingerprint:runbook")
def test_a_runbook_is_named_while_it_holds(project: Recollect) -> None:
    until = runbook(project, "Run it first", f"fingerprint {ERROR}", valid_to="2030-01-01T00:00:00Z")
    later = runbook(project, "Wait for it", f"fingerprint {ERROR}", valid_from="2030-01-01T00:00:00Z")
    project.finder.index.update()
    path = str(project.project.root.state / "index.db")

    assert SqliteRunbooks(path).naming(ERROR, "2029-12-31T23:59:59Z") == [f"mem:{until}"]
    assert SqliteRunbooks(path).naming(ERROR, "2030-01-01T00:00:00Z") == [f"mem:{later}"]


@requirement("working:fingerprint:runbook")
@pytest.mark.parametrize("data", [b"", b"no database at all" * 100])
def test_an_index_that_cannot_be_read_names_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(data)

    assert SqliteRunbooks(str(path)).naming(ERROR, now()) == []


@requirement("working:fingerprint:runbook")
def test_a_folder_with_any_name_can_be_asked(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "100% #1? ok"
    (folder / ".claude" / "memory").mkdir(parents=True)
    project = open_project(folder, env=env)
    wanted = runbook(project, "Run the migration first", f"fingerprint {ERROR}")
    project.finder.index.update()

    assert SqliteRunbooks(str(project.project.root.state / "index.db")).naming(ERROR, now()) == [
        f"mem:{wanted}"
    ]
