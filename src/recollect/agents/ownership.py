"""What is ours in somebody else's configuration: known by the command it runs, never by its place."""

from collections.abc import Mapping

SERVER = "recollect"


def is_our_hook(command: object) -> bool:
    """Whether a command line starts our hook, by its file or by its name."""
    return isinstance(command, str) and ("recollect/hook/" in command or "recollect-hook" in command)


def is_our_server(entry: object) -> bool:
    """Whether an entry of MCP servers starts ours, whatever it is called."""
    words = _words(entry)
    return "serve" in words and any("recollect" in word for word in words)


def _words(entry: object) -> list[str]:
    if not isinstance(entry, Mapping):
        return []
    words: list[str] = []
    for part in (entry.get("command"), entry.get("args")):
        match part:
            case str():
                words.append(part)
            case list():
                words += [word for word in part if isinstance(word, str)]
    return words
