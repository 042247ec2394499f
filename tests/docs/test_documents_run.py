"""Every `console` block of the documentation is run, and prints what it says."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.requirements import requirement

TOP = Path(__file__).parents[2]
PAGES = [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
EXIT = re.compile(r"\[exit (\d+)\]")

# A busy machine makes commands wait, and they say so.
_PROGRESS = re.compile(r"^recollect: \w[\w ]+(?:: [\d,.]+ of [\d,.]+(?: MB)?| \.\.\.)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a page and what the page says it prints; `...` stands for anything."""

    command: str
    expected: str
    exit_code: int


def steps(page: Path) -> list[Step]:
    """The commands of a page, in order."""
    found: list[Step] = []
    for block in BLOCK.findall(page.read_text("utf-8")):
        for chunk in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = chunk.splitlines()
            count = 1
            while lines[count - 1].endswith("\\"):
                count += 1
            command = "\n".join(line.removeprefix("> ") for line in lines[:count])
            said = lines[count:]
            code = EXIT.fullmatch(said[-1].strip()) if said else None
            expected = said[:-1] if code else said
            found.append(Step(command, "\n".join(expected), int(code[1]) if code else 0))
    return found


def matches(expected: str, printed: str) -> bool:
    """Whether a page's output fits; a line `...` stands for any lines, `...` in one for any text."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part.rstrip()) for part in line.split("...")) + r"\s*\n"
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n" if printed.strip() else "") is not None


def environment(home: Path) -> dict[str, str]:
    """A fresh user whose PATH has our commands first."""
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Reader\n\temail = reader@localhost\n")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "COLUMNS": "160", "LANG": "C.UTF-8"}


@requirement("docs:examples:run")
@pytest.mark.parametrize("page", [page for page in PAGES if steps(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    project = tmp_path / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    if page.name != "README.md":
        subprocess.run(["recollect", "init"], cwd=project, env=env, check=True, capture_output=True)
    for step in steps(page):
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=project,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        printed = done.stdout + _PROGRESS.sub("", done.stderr)
        assert done.returncode == step.exit_code, f"$ {step.command}\n{printed}"
        assert matches(step.expected, printed), (
            f"$ {step.command}\n{printed}\n--- expected\n{step.expected}"
        )


def test_a_page_that_says_something_else_is_noticed() -> None:
    assert matches("Saved ...\n...", "Saved x\n  path\n")
    assert not matches("Saved ...", "Saved x\n  path\n")
    assert not matches("Saved y", "Saved x\n")


@pytest.mark.parametrize(
    "page", [*PAGES, TOP / "ARCHITECTURE.md", TOP / "CONTRIBUTING.md"], ids=lambda page: page.stem
)
def test_links_between_pages_lead_to_a_file(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", prose)
    assert [target for target in targets if not (page.parent / target).exists()] == []
