"""A hook finds its own modules without a search, and never an old one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.requirements import requirement

import recollect

PROGRAM = """
import sys
sys.path.append(sys.argv[1])
from recollect.hook.compiled import find_quickly
find_quickly(sys.argv[1])
from recollect.hook import answer
import recollect.agents
print(type(answer.__spec__.loader).__name__, answer.__file__, *recollect.agents.__path__)
print(getattr(answer, "ADDED", ""))
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """An installation of our own, compiled."""
    package = Path(recollect.__file__).parent
    shutil.copytree(
        package, tmp_path / "recollect", ignore=shutil.ignore_patterns("__pycache__", "bench")
    )
    run(tmp_path)
    return tmp_path


def run(source: Path, *options: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", *options, "-c", PROGRAM, str(source)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def compiled(source: Path) -> Path:
    return next((source / "recollect" / "hook" / "__pycache__").glob("answer.*.pyc"))


@requirement("hook:compiled:found")
def test_a_compiled_module_is_found_where_python_put_it_and_looks_like_any_other(source: Path) -> None:
    package = source / "recollect"

    assert run(source)[0] == f"_Finder {package}/hook/answer.py {package}/agents"


@requirement("hook:compiled:changed")
def test_a_module_that_was_changed_since_is_compiled_anew(source: Path) -> None:
    module = source / "recollect" / "hook" / "answer.py"
    with module.open("a") as file:
        file.write("\nADDED = 'just now'\n")

    first, again = run(source), run(source)

    assert first[0].startswith("SourceFileLoader ")
    assert again[0].startswith("_Finder ")
    assert first[1] == again[1] == "just now"


@requirement("hook:compiled:changed")
def test_a_change_of_the_same_length_is_seen_by_its_time(source: Path) -> None:
    module = source / "recollect" / "hook" / "answer.py"
    module.write_text(module.read_text() + "\nADDED = 'one'\n")
    assert run(source)[1] == "one"
    later = module.stat().st_mtime + 10
    module.write_text(module.read_text().replace("'one'", "'two'"))
    os.utime(module, (later, later))

    assert run(source)[1] == "two"


@requirement("hook:compiled:left-to-python")
def test_what_was_never_compiled_is_left_to_python(source: Path) -> None:
    shutil.rmtree(source / "recollect" / "hook" / "__pycache__")

    assert run(source, "-B")[0].startswith("SourceFileLoader ")


@requirement("hook:compiled:left-to-python")
@pytest.mark.parametrize("start", [b"", b"\0" * 16, b"not python"])
def test_a_compiled_module_of_another_python_is_left_to_python(source: Path, start: bytes) -> None:
    compiled(source).write_bytes(start)

    assert run(source)[0].startswith("SourceFileLoader ")


@requirement("hook:compiled:left-to-python")
def test_an_optimised_python_finds_its_own_compiled_modules(source: Path) -> None:
    assert run(source, "-O")[0].startswith("SourceFileLoader ")
