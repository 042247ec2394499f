"""What setting a harness up changes, file by file, and what taking it out again does. Writes nothing.

Texts in, texts out: the caller reads the files of `files_of`, shows the changes and makes them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.agents import entries, toml_settings
from recollect.agents.detection import detect
from recollect.agents.json_settings import found
from recollect.agents.own_files import is_own, own_text
from recollect.agents.ownership import SERVER
from recollect.agents.setups import SETUPS, Setup, hook_entries, server_entry
from recollect.errors import RefusedError

__all__ = ["FileChange", "detect", "files_of", "plan", "unplan"]

# Without a last line end: a file that says this and nothing more is one that we made.
_CURSOR_START = '{\n  "version": 1\n}'

Edit = Callable[[str | None], str | None]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None is no file. With `advice` nothing changes: a person has to do it."""

    path: str
    before: str | None
    after: str | None
    advice: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """One edit of one file, and what to add by hand if it cannot be made."""

    path: str
    edit: Edit
    by_hand: str = ""


def files_of(harness: str) -> tuple[str, ...]:
    """The files to read for `harness`, relative to the project.

    Raises:
        RefusedError: for a harness that we do not know.
    """
    return _setup(harness).files


def plan(
    harness: str,
    files: Mapping[str, str | None],
    hook_command: Callable[[str], list[str]],
    serve_command: list[str],
) -> list[FileChange]:
    """What connecting `harness` changes in `files`; nothing where all is as it should be.

    `hook_command` gives the words that run our hook for an event, the event last. A file that cannot be
    changed without harm comes with advice and unchanged; the others are still planned.

    Raises:
        RefusedError: for a harness that we do not know, or a command that no text file can hold.
    """
    setup = _setup(harness)
    for words in (hook_command("event"), serve_command):
        _check_words(words)
    return _changes(files, _steps_in(setup, hook_command, serve_command))


def unplan(harness: str, files: Mapping[str, str | None]) -> list[FileChange]:
    """What disconnecting `harness` changes: our entries go, and files that we made.

    Undoes `plan` byte for byte when nothing else changed since.

    Raises:
        RefusedError: for a harness that we do not know.
    """
    return _changes(files, _steps_out(_setup(harness)))


def _setup(harness: str) -> Setup:
    if harness not in SETUPS:
        raise RefusedError(f"no harness is called {harness!r}; take one of {', '.join(SETUPS)}.")
    return SETUPS[harness]


def _check_words(words: Sequence[str]) -> None:
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise RefusedError(
            f"the command {words!r} is not UTF-8; install Recollect in a folder whose name is."
        ) from None


def _steps_in(
    setup: Setup, hook_command: Callable[[str], list[str]], serve_command: list[str]
) -> Iterator[_Step]:
    if setup.hooks_file:
        yield _hooks_step(setup, hook_command)
    if setup.servers_file:
        yield _server_step(setup, serve_command)
    if setup.own_file:
        wanted = own_text(setup.own_file, hook_command("event")[:-1])
        yield _Step(setup.own_file, lambda text: _written(setup.own_file, text, wanted), wanted)


def _hooks_step(setup: Setup, hook_command: Callable[[str], list[str]]) -> _Step:
    hooks = hook_entries(setup, hook_command)
    if setup.shape == "groups":
        by_hand = _json({"hooks": hooks})
        return _Step(setup.hooks_file, lambda text: entries.with_hooks(text, hooks), by_hand)
    return _Step(
        setup.hooks_file,
        lambda text: entries.with_hooks(_versioned(text), hooks),
        _json({"version": 1, "hooks": hooks}),
    )


def _server_step(setup: Setup, serve_command: list[str]) -> _Step:
    if setup.servers_file.endswith(".toml"):
        return _Step(
            setup.servers_file,
            lambda text: toml_settings.with_server(text, serve_command),
            toml_settings.block(serve_command),
        )
    server = server_entry(setup, serve_command)
    return _Step(
        setup.servers_file,
        lambda text: entries.with_server(text, setup.servers_key, server),
        _json({setup.servers_key: {SERVER: server}}),
    )


def _steps_out(setup: Setup) -> Iterator[_Step]:
    if setup.hooks_file:
        yield _Step(setup.hooks_file, _unhooked)
    if setup.servers_file.endswith(".toml"):
        yield _Step(setup.servers_file, toml_settings.without_server)
    elif setup.servers_file:
        yield _Step(setup.servers_file, lambda text: entries.without_server(text, setup.servers_key))
    if setup.own_file:
        path = setup.own_file
        yield _Step(path, lambda text: None if text is not None and is_own(path, text) else text)


def _changes(files: Mapping[str, str | None], steps: Iterable[_Step]) -> list[FileChange]:
    """The steps of each file made one after the other: one change, or advice and none."""
    by_path: dict[str, list[_Step]] = {}
    for step in steps:
        by_path.setdefault(step.path, []).append(step)
    made = (_change(path, files.get(path), todo) for path, todo in by_path.items())
    return [change for change in made if change.advice or change.after != change.before]


def _change(path: str, before: str | None, steps: Sequence[_Step]) -> FileChange:
    after = before
    try:
        for step in steps:
            after = step.edit(after)
    except RefusedError as error:
        by_hand = "\n".join(step.by_hand for step in steps if step.by_hand)
        todo = (
            f"Add to it yourself:\n{by_hand}" if by_hand else "Take out what names recollect yourself."
        )
        return FileChange(path, before, before, f"{path} was left alone: {error}. {todo}")
    return FileChange(path, before, after)


def _versioned(text: str | None) -> str:
    """Cursor's hooks begin with a version; one that we do not know, or none, is not ours to guess."""
    if text is None:
        return _CURSOR_START
    if found(text, ("version",)) != 1:
        raise RefusedError('it does not say "version": 1')
    return text


def _unhooked(text: str | None) -> str | None:
    after = entries.without_hooks(text)
    return None if after != text and after == _CURSOR_START else after


def _written(path: str, text: str | None, wanted: str) -> str:
    if text is not None and not is_own(path, text):
        raise RefusedError("there is a file of that name that is not ours")
    return wanted


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
