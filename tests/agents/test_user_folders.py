"""Where does a harness keep its user's settings?"""

import unicodedata
from pathlib import Path

import pytest

from recollect.agents.harnesses import NAMES, get_harness

HOME = "/home/ana"
COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "/größe") for form in ("NFC", "NFD"))


def folders(harness: str, **env: str) -> list[str]:
    return [str(Path(name)) for name in get_harness(harness).presence.user_folders(HOME, env)]


def test_settings_are_in_the_home_where_nothing_was_moved() -> None:
    elsewhere = {"HOME": "/not/asked", "PATH": "/bin", "GEMINI_DIR": "/g", "OPENCODE_TEST_HOME": "/o"}

    assert {name: folders(name, **elsewhere) for name in NAMES} == {
        "claude-code": ["/home/ana/.claude"],
        "codex": ["/home/ana/.codex"],
        "cursor": ["/home/ana/.cursor"],
        "gemini": ["/home/ana/.gemini"],
        "opencode": ["/home/ana/.config/opencode"],
    }


@pytest.mark.parametrize(
    ("harness", "variable", "value", "expected"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/c", ["/c"]),
        ("claude-code", "CLAUDE_CONFIG_DIR", DECOMPOSED, [COMPOSED]),
        ("codex", "CODEX_HOME", "/c", ["/c"]),
        ("cursor", "CURSOR_CONFIG_DIR", "/c", ["/home/ana/.cursor", "/c"]),
        ("cursor", "XDG_CONFIG_HOME", "/x", ["/home/ana/.cursor", "/x/cursor"]),
        ("gemini", "GEMINI_CLI_HOME", "/g", ["/g/.gemini"]),
        ("opencode", "XDG_CONFIG_HOME", "/x", ["/x/opencode"]),
        ("opencode", "OPENCODE_CONFIG_DIR", "/o", ["/home/ana/.config/opencode", "/o"]),
    ],
)
def test_a_variable_moves_the_settings_of_its_harness_and_of_no_other(
    harness: str, variable: str, value: str, expected: list[str]
) -> None:
    assert folders(harness, **{variable: value}) == expected
    followers = {"XDG_CONFIG_HOME": {"cursor", "opencode"}}.get(variable, {harness})
    assert {name for name in NAMES if folders(name, **{variable: value}) != folders(name)} == followers


@pytest.mark.parametrize(
    ("harness", "variable"),
    [
        ("codex", "CODEX_HOME"),
        ("cursor", "CURSOR_CONFIG_DIR"),
        ("cursor", "XDG_CONFIG_HOME"),
        ("gemini", "GEMINI_CLI_HOME"),
        ("opencode", "OPENCODE_CONFIG_DIR"),
        ("opencode", "XDG_CONFIG_HOME"),
    ],
)
def test_an_empty_variable_moves_nothing(harness: str, variable: str) -> None:
    assert folders(harness, **{variable: ""}) == folders(harness)


def test_to_claude_code_an_empty_variable_is_the_folder_it_is_started_in() -> None:
    assert folders("claude-code", CLAUDE_CONFIG_DIR="") == ["."]


def test_a_tilde_that_no_shell_replaced_and_a_relative_path_are_taken_as_they_are() -> None:
    assert folders("codex", CODEX_HOME="~/.codex") == ["~/.codex"]
    assert folders("gemini", GEMINI_CLI_HOME="mine") == ["mine/.gemini"]
