"""What the README must tell a newcomer."""

import re
from pathlib import Path

from tests.requirements import requirement

from recollect.cli.topics import TOPICS

README = Path(__file__).parent.parent.parent / "README.md"


@requirement("docs:readme:mounted-drives")
def test_the_readme_recommends_the_linux_file_system_under_wsl() -> None:
    text = " ".join(README.read_text("utf-8").split())

    assert "keep projects on the Linux file system" in text
    assert "/mnt/c" in text


@requirement("docs:readme:first-hour")
def test_the_readme_tells_what_runs_when_and_how_the_model_is_installed() -> None:
    text = README.read_text("utf-8")

    assert "recollect model install" in text
    assert "| what runs | when | for how long |" in text
    assert "docs/images/session-light-wide.png" in text
    assert "<memory-context" in text
    assert "one to three" in text


@requirement("docs:readme:first-hour")
def test_the_demo_ends_with_commands_that_exist() -> None:
    source = (README.parent / "demo" / "run.py").read_text("utf-8")
    steps = re.findall(r"^  recollect (\w+)", source, re.MULTILINE)

    commands = {name for topic in TOPICS for name in topic.commands}
    assert len(steps) >= 4
    assert set(steps) <= commands


@requirement("docs:readme:first-hour")
def test_no_page_promises_another_number_of_memories_for_a_prompt() -> None:
    pages = [README, *(README.parent / "docs").rglob("*.md")]

    assert not [page.name for page in pages if "one or two memories" in page.read_text("utf-8")]
