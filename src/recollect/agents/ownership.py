"""Which entries of a user's configuration are ours? The command that an entry runs decides, not its place."""

from collections.abc import Mapping

SERVER = "recollect"


def is_our_hook(command: object) -> bool:
    """Whether a command line runs our hook, by its file or by its name."""
    return isinstance(command, str) and ("recollect/hook/" in command or "recollect-hook" in command)


def is_our_server(entry: object) -> bool:
    """Whether an entry of MCP servers starts our server, whatever its name."""
    words = words_of(entry)
    return "serve" in words and any("recollect" in word for word in words)


def words_of(entry: object) -> list[str]:
    """The command that an entry of MCP servers starts, program first; empty if it has none."""
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
