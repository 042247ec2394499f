"""The commands that a harness runs: the same words on every machine, or this machine's interpreter."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from recollect.agents.harness import ProjectFiles
from recollect.agents.lenient import inside, json_of, toml_of
from recollect.agents.ownership import is_our_hook, is_our_server, words_of

# An empty entry in a user's PYTHONPATH is the current folder, which may be a repository with a `recollect/`.
_SAFELY = ("env", "PYTHONPATH=")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OWN_WORDS = re.compile(r"^const HOOK = (\[.*\])$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Launch:
    """How our hook and our server are started. `hook` takes the harness and the event."""

    hook: Callable[[str, str], list[str]]
    serve: list[str]


# For files that a team commits: programs that are found on PATH.
SHARED = Launch(
    lambda harness, event: [*_SAFELY, "recollect-hook", harness, event],
    [*_SAFELY, "recollect", "serve"],
)


def program(words: list[str]) -> str:
    """The program that a command starts, without `env` and its assignments; '' for none."""
    rest = words[1:] if words[:1] == ["env"] else words
    return next((word for word in rest if not _ASSIGNMENT.match(word)), "")


def configured(files: ProjectFiles, texts: Mapping[str, str | None]) -> tuple[list[str], list[str]]:
    """The commands of ours in a harness's files: of its hooks (the first stands for all) and its server.

    Each is empty where there is none, or where its file cannot be read.
    """
    own = files.own_file.path if files.own_file else ""
    hooks = [*_hook_lines(texts.get(files.hooks_file)), *_own_words(texts.get(own))]
    return next(iter(hooks), []), _server_words(files, texts.get(files.servers_file))


def _hook_lines(text: str | None) -> Iterator[list[str]]:
    events = inside(json_of(text), "hooks")
    for entries in events.values() if isinstance(events, dict) else ():
        for entry in entries if isinstance(entries, list) else ():
            yield from _words_of_entry(entry)


def _words_of_entry(entry: object) -> Iterator[list[str]]:
    inner = inside(entry, "hooks")
    for hook in inner if isinstance(inner, list) else [entry]:
        command = inside(hook, "command")
        if isinstance(command, str) and is_our_hook(command):
            yield shlex.split(command.removesuffix("|| true"))


def _own_words(text: str | None) -> Iterator[list[str]]:
    if text is not None and (match := _OWN_WORDS.search(text)):
        yield [*json.loads(match[1]), "event"]


def _server_words(files: ProjectFiles, text: str | None) -> list[str]:
    is_toml = files.servers_file.endswith(".toml")
    servers = (
        inside(toml_of(text), "mcp_servers") if is_toml else inside(json_of(text), files.servers_key)
    )
    entries = servers.values() if isinstance(servers, dict) else ()
    return next((words_of(entry) for entry in entries if is_our_server(entry)), [])
