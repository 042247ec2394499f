"""The merge driver in a checkout's git configuration: the line that git runs, and whether it works."""

import shlex
import subprocess
import tempfile
from pathlib import Path

from recollect.interpreter import python
from recollect.storage import git

CONFLICT = (
    4  # the exit code of `merge-driver` when it left a conflict; Python itself never ends with it
)
_SECTION = "merge.recollect"
_TRIAL_SECONDS = 30
_TRIAL = {"%O": '{"a": 1, "b": 1}\n', "%A": '{"a": 2, "b": 1}\n', "%B": '{"a": 1, "b": 2}\n'}
_TRIAL_RESULT = '{\n  "a": 2,\n  "b": 2\n}\n'


def command() -> str:
    """What git runs to merge two versions of a memory; independent of PATH.

    Where our program cannot run, git's own line merge leaves both sides. A driver that only fails leaves
    our side without a mark, and the next commit would drop theirs.
    """
    driver = f"{shlex.join(python('-m', 'recollect', 'merge-driver'))} %O %A %B %P"
    by_lines = "git merge-file -L ours -L base -L theirs %A %O %B"
    notice = "echo recollect: the merge driver cannot run, so git merged by lines: %P >&2"
    return f"{driver}; case $? in 0) ;; {CONFLICT}) exit 1 ;; *) {notice}; {by_lines} ;; esac"


def configured(folder: Path) -> str | None:
    """The line in the checkout's configuration; None without one, or without git."""
    return git.ask(folder, "config", "--get", f"{_SECTION}.driver")


def is_installed(folder: Path) -> bool:
    """Whether this checkout merges memories with us. True where there is no git to ask."""
    return git.top_level(folder) is None or configured(folder) == command()


def install(folder: Path) -> None:
    """Tell this checkout's git how to merge memories."""
    git.ask(folder, "config", f"{_SECTION}.name", "Recollect memories, field by field")
    git.ask(folder, "config", f"{_SECTION}.driver", command())


def remove(folder: Path) -> bool:
    """Remove our section from the configuration; False when there is none."""
    if not configured(folder):
        return False
    git.ask(folder, "config", "--remove-section", _SECTION)
    return True


def missing_program(line: str) -> str | None:
    """The program that a driver's line starts, if it is a path to nothing."""
    try:
        program = shlex.split(line)[0]
    except (ValueError, IndexError):
        return None
    return program if Path(program).is_absolute() and not Path(program).exists() else None


def works(folder: Path) -> bool:
    """Whether the line that we write merges a small example field by field, run as git runs it.

    Only a command that Recollect wrote is run, because another one may have come with the checkout.
    """
    with tempfile.TemporaryDirectory() as place:
        line = command().replace("%P", "trial.json")
        for mark, text in _TRIAL.items():
            path = Path(place, mark.strip("%"))
            path.write_text(text, "utf-8")
            line = line.replace(mark, shlex.quote(str(path)))
        try:
            subprocess.run(
                ["sh", "-c", line],
                cwd=git.top_level(folder) or folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_TRIAL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return Path(place, "A").read_text("utf-8") == _TRIAL_RESULT
