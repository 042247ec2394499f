"""The worked examples of CONTRIBUTING.md, applied to a copy of the source tree.

An example is a section with fenced blocks that name a file in their `title`: a block of any language is a
new file, and a `diff` block replaces the one place in an existing file that has its unchanged and removed
lines.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).parents[2]
_BLOCK = re.compile(r'^```(?P<language>\w+) title="(?P<path>[^"]+)"\n(?P<text>.*?)^```$', re.M | re.S)


@dataclass(frozen=True, slots=True)
class Edit:
    """One file that an example creates or changes."""

    path: str
    text: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A copy of the source tree with an example applied."""

    top: Path

    def python(
        self, *arguments: str, folder: Path, env: Mapping[str, str], stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with the package of this tree. Raises CalledProcessError if it fails."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**env, "PYTHONPATH": str(self.top / "src")},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )


def edits_of(heading: str) -> list[Edit]:
    """The edits in the section of CONTRIBUTING.md under `heading`, in order."""
    page = (TOP / "CONTRIBUTING.md").read_text("utf-8")
    _, _, after = page.partition(f"\n### {heading}\n")
    section = re.split(r"^##+ ", after, maxsplit=1, flags=re.M)[0]
    return [
        Edit(block["path"], block["text"], block["language"] != "diff")
        for block in _BLOCK.finditer(section)
    ]


def applied(edits: list[Edit], top: Path) -> Tree:
    """A copy of `src/` in `top` with the edits made, formatted and linted as the house wants it."""
    shutil.copytree(TOP / "src", top / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        path = top / edit.path
        assert path.exists() != edit.is_new, f"{edit.path} is not what the example says it is"
        path.write_text(edit.text if edit.is_new else patched(path.read_text("utf-8"), edit.text))
    shutil.copy(TOP / "pyproject.toml", top)
    for command in (["check"], ["format", "--check"]):
        paths = [str(top / edit.path) for edit in edits if edit.path.endswith(".py")]
        subprocess.run([sys.executable, "-m", "ruff", *command, "-q", *paths], cwd=top, check=True)
    return Tree(top)


def patched(text: str, diff: str) -> str:
    """`text` with a diff applied. Its old lines must be in the text exactly once."""
    lines = diff.splitlines(keepends=True)
    assert all(line[0] in " +-\n" for line in lines), "a line of a diff begins with ' ', '+' or '-'"
    old = "".join(line[1:] or "\n" for line in lines if line[0] != "+")
    new = "".join(line[1:] or "\n" for line in lines if line[0] != "-")
    assert text.count(old) == 1, f"found {text.count(old)} times:\n{old}"
    return text.replace(old, new)
