"""The names a user needs, and what importing them costs."""

import json
import subprocess
import sys

import pytest

import recollect


@pytest.mark.parametrize("name", recollect.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(recollect, name).__name__ == name


def test_the_public_names_are_sorted_and_each_has_its_home() -> None:
    assert recollect.__all__ == sorted(recollect.__all__)
    assert set(recollect.__all__) == set(recollect._HOMES)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        recollect.nothing  # noqa: B018 - looking it up is the test


def loaded_by(code: str) -> set[str]:
    """Every module that running `code` in a fresh interpreter loads beyond an empty program's."""
    script = (
        f"import sys, json; before = set(sys.modules)\n{code}\n"
        "print(json.dumps([*set(sys.modules) - before]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_but_itself() -> None:
    loaded = loaded_by("import recollect")

    assert {name for name in loaded if name.startswith("recollect")} == {"recollect"}
    assert {name.partition(".")[0] for name in loaded} - {"recollect"} <= sys.stdlib_module_names


def test_opening_a_project_loads_no_third_party_module() -> None:
    loaded = {name.partition(".")[0] for name in loaded_by("from recollect import open_project")}

    assert loaded - {"recollect"} <= sys.stdlib_module_names
