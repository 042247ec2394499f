"""Capabilities as files: read back as they were, and checked before they are added."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.app.run_tools import GATE
from tests.requirements import requirement

from recollect.app.capability_file import capability_from, capability_text, import_capability
from recollect.errors import InvalidError, RefusedError
from recollect.learning.capabilities import Capability, capability_of
from recollect.learning.ports import CapabilityStore
from recollect.storage.sqlite.state import StateDatabase

pytestmark = requirement("learning:capabilities:files")


def of(code: str, intent: str = "count commits") -> Capability:
    capability = capability_of(code, intent, {"git_log": "git:log"}, {})
    assert capability is not None
    return capability


@pytest.fixture
def store(tmp_path: Path) -> CapabilityStore:
    return StateDatabase(str(tmp_path / "state.db")).capabilities


FIRST = of("x = await git_log(repo='a', n=2)\nif x:\n    y = '''a\n\n  b'''\nlen(x)")
TEXT = capability_text(FIRST)


TEXTS = st.text(st.characters(codec="utf-8"))


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_what_is_written_is_read_back(text: str, intent: str) -> None:
    capability = capability_of(
        f"def f():\n    {text!r}\nawait git_log(repo={text!r})",
        intent[:999],
        {"git_log": "git:log"},
        {},
    )
    assert capability is not None
    again = capability_from(capability_text(capability))
    for name in ("name", "digest", "code", "intent", "parameters", "tools"):
        assert getattr(again, name) == getattr(capability, name)
    assert (again.runs, again.successes) == (0, 0)


def test_the_code_is_a_block_that_people_can_review() -> None:
    assert "code: |-\n  x = await git_log(repo=repo, n=n)\n  if x:\n" in TEXT


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("recollect-capability", "other", "does not begin"),
        ("version: 1", "version: 2", "version 2 is unknown"),
        ('name: "count_commits"', 'name: "../x"', "is not a valid name"),
        ('name: "count_commits"', "name: [a]", "is not a valid name"),
        ("intent:", "more: 1\nintent:", "unknown field 'more'"),
        ('intent: "count commits"\n', "", "'intent' is missing"),
        ('intent: "count commits"', "intent: 2026-01-01", "plain values"),
        ('{"repo"', '{"a b"', "variable names"),
        ("git:log", "git", "SERVER:TOOL"),
        ("if x:", "if x", "not valid Python"),
        ("len(x)", "len(x)\n" + "  x = 1\n" * 600, "too long"),
        ("len(x)", "len(x)\n" + "  # x\n" * 9_000, "more than 20,000"),
        ("intent:", "? &a [1]\n: *a\nintent:", "alias"),
        ("intent:", "intent: [[[", "not valid YAML"),
        ("intent:", f"more: {'[' * 4_000}{']' * 4_000}\nintent:", "deeper than 30"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(
    store: CapabilityStore, old: str, new: str, said: str
) -> None:
    assert old in TEXT
    with pytest.raises(InvalidError, match=said):
        import_capability(store, TEXT.replace(old, new, 1), GATE)
    assert store.all() == []


def test_an_import_overwrites_nothing(store: CapabilityStore) -> None:
    assert import_capability(store, TEXT, GATE) == ("count_commits", True)
    store.count(FIRST.digest, succeeded=True)
    assert import_capability(store, TEXT.replace("count_commits", "other"), GATE) == (
        "count_commits",
        False,
    )
    with pytest.raises(RefusedError, match="with different code"):
        import_capability(store, TEXT.replace("len(x)", "len(x) + 1"), GATE)
    [known] = store.all()
    assert (known.digest, known.runs) == (FIRST.digest, 1)


@pytest.mark.parametrize("place", ["count commits", "len(x)", '"a"'])
def test_a_file_with_a_secret_is_refused(store: CapabilityStore, place: str) -> None:
    secret = '"ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"'
    text = TEXT.replace(place, secret.strip('"') if place == "count commits" else secret, 1)
    with pytest.raises(RefusedError, match="secret"):
        import_capability(store, text, GATE)
    assert store.all() == []
