"""Where does a harness keep its user's settings? In the home, or where its user's environment says.

A variable is followed as the program was seen to follow it, in the versions that docs/guides/harnesses.md
names; an empty one mostly counts as none. Cursor alone is by its documentation.
"""

from collections.abc import Mapping
from pathlib import Path
from unicodedata import normalize


def user_folders(harness: str, home: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders in which `harness` looks for its user's settings, its own first; () for one unknown.

    A relative one is meant from the folder in which the harness is started.
    """
    match harness:
        case "claude-code":
            # An empty one is the folder it is started in, and letters are composed: NFC.
            named = env.get("CLAUDE_CONFIG_DIR", str(home / ".claude"))
            return (Path(normalize("NFC", named)),)
        case "codex":
            return (Path(env.get("CODEX_HOME") or home / ".codex"),)
        case "cursor":
            # The variables move what its command line keeps, and not what the editor does.
            config = env.get("XDG_CONFIG_HOME")
            moved = env.get("CURSOR_CONFIG_DIR"), config and f"{config}/cursor"
            return (home / ".cursor", *(Path(name) for name in moved if name))
        case "gemini":
            return (Path(env.get("GEMINI_CLI_HOME") or home, ".gemini"),)
        case "opencode":
            # OPENCODE_CONFIG_DIR is read besides the others, and not instead of them.
            more = env.get("OPENCODE_CONFIG_DIR")
            main = Path(env.get("XDG_CONFIG_HOME") or home / ".config", "opencode")
            return (main, Path(more)) if more else (main,)
        case _:
            return ()
