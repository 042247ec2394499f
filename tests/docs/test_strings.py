"""The list of texts for a review of the language, and turns of phrase that none of them uses."""

import re
from functools import cache
from pathlib import Path

import pytest
from docs.strings import PAGE, SOURCE, main, page_texts, texts
from tests.requirements import requirement

HOME = Path(__file__).parents[2]
PAGES = [HOME / "README.md", HOME / "CHANGELOG.md", HOME / "docs" / "concepts.md"]
# What a native speaker would not write: "is no rule" (is not a rule), "goes on" (continues), ...
FOREIGN = re.compile(
    r"(?<!there )(?<!There )\b(?:is|are|was|were) no (?!longer|one|such|more)\w+"
    r"|\bmeanwhile\b|\bgo(?:es)? on\b|\bfor ever\b|\banew\b|\bsomebody\b|\bnobody\b(?!'s)|\bin step\b"
    r"|\b(?:in|out)side of\b|\bany more\b|\bbeforehand\b|[Ff]or a person alone|\bwhat waits\b"
    r"|\bthe oftener\b|\bsome (?:seconds|minutes|days)\b"
)
WORD_LISTS = (
    "retrieval/",
    "working/statement",
    "records/sentence/",
    "importing/adr",
    "bench/",
    "gateway/instr",
)


@cache
def listed() -> dict[str, str]:
    """Every text of the list, by where it stands."""
    modules = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    found = {
        f"{name}:{line}": text
        for name, path in modules.items()
        if not name.startswith(WORD_LISTS)
        for line, text in texts(path)
    }
    sources = [path for path in PAGE.rglob("*.ts*") if ".test." not in path.name]
    return found | {f"{path.name}:{line}": text for path in sources for line, text in page_texts(path)}


@requirement("docs:strings")
def test_the_list_has_help_errors_tools_the_page_and_skills(capsys: pytest.CaptureFixture[str]) -> None:
    main()

    out = capsys.readouterr().out
    for text in (
        "Save a memory.",
        "unknown harness {…}; choose one of {…}.",
        "Read one memory in full.",
        "Nothing is waiting for you.",
        "# Search the project's memory",
    ):
        assert text in out


@requirement("docs:strings")
def test_no_text_of_a_user_has_a_turn_of_phrase_that_is_foreign() -> None:
    assert {place: text for place, text in listed().items() if FOREIGN.search(text)} == {}


@requirement("docs:strings")
@pytest.mark.parametrize("path", [*PAGES, *sorted((HOME / "docs" / "guides").glob("*.md"))], ids=str)
def test_no_page_has_a_turn_of_phrase_that_is_foreign(path: Path) -> None:
    lines = path.read_text("utf-8").split("\n")

    assert [line for line in lines if FOREIGN.search(re.sub(r"`[^`]*`", "", line))] == []
