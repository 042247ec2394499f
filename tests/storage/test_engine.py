"""SQLite without what Python puts around it."""

import subprocess
import sys
from pathlib import Path

from tests.requirements import requirement

import recollect

ALONE = """
import sys
sys.path.append(sys.argv[1])
from recollect.storage.sqlite.engine import sqlite3
loaded = {"functools", "collections", "datetime"} & set(sys.modules)
db = sqlite3.connect(":memory:", cached_statements=8)
rows = [db.execute(f"SELECT {number % 20}").fetchone()[0] for number in range(100)]
import functools
print(sorted(loaded), rows == [number % 20 for number in range(100)], hasattr(functools, "partial"))
import sqlite3 as whole
print(whole.connect is not None and whole.DatabaseError is sqlite3.DatabaseError)
"""


@requirement("store:engine:alone")
def test_sqlite_is_loaded_alone_and_leaves_the_modules_of_python_as_they_are() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, str(Path(recollect.__file__).parent.parent)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.stdout.splitlines() == ["[] True True", "True"], done.stderr
