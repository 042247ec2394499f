"""What the README must tell a newcomer."""

from pathlib import Path

from tests.requirements import requirement

README = Path(__file__).parent.parent.parent / "README.md"


@requirement("docs:readme:mounted-drives")
def test_the_readme_recommends_the_linux_file_system_under_wsl() -> None:
    text = " ".join(README.read_text("utf-8").split())

    assert "keep projects on the Linux file system" in text
    assert "/mnt/c" in text
