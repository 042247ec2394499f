"""What connecting a harness changes, file by file, and what disconnecting it does. Writes nothing.

Texts in, texts out: the caller reads the files of a harness, shows the changes and makes them.
"""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from recollect.agents import settings_entries
from recollect.agents.harness import Harness, OwnFile, ProjectFiles
from recollect.agents.json_settings import value_at
from recollect.agents.launch import SHARED, Launch
from recollect.agents.ownership import SERVER
from recollect.errors import RefusedError

Edit = Callable[[str | None], str | None]
_NO_TEMPLATES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None is no file. With `advice` nothing changes: a person has to do it.

    `by_hand` is the text that a person adds to the file then.
    """

    path: str
    before: str | None
    after: str | None
    advice: str = ""
    by_hand: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """One edit of one file, and what to add by hand if it cannot be made."""

    path: str
    edit: Edit
    by_hand: str | Mapping[str, object] = ""


def plan(
    harness: Harness,
    files: Mapping[str, str | None],
    launch: Launch,
    templates: Mapping[str, str] = _NO_TEMPLATES,
) -> list[FileChange]:
    """What connecting `harness` changes in `files`; nothing if it is connected already.

    `templates` has the texts of the files that `OwnFile.template` names. A launch without a command for the
    server leaves the servers as they are. A file that cannot be changed without harm comes unchanged,
    with advice; the others are still planned.

    Raises:
        RefusedError: for a command that no text file can hold.
    """
    for words in (launch.hook(harness.name, "event"), launch.serve):
        _check_words(words)
    return _changes(files, _steps_in(harness, launch, templates))


def unplan(harness: Harness, files: Mapping[str, str | None]) -> list[FileChange]:
    """What disconnecting `harness` changes: our entries go, and files that we created.

    Undoes `plan` byte for byte if nothing else changed since.
    """
    return _changes(files, _steps_out(harness.files))


def shell_line(words: Sequence[str]) -> str:
    """The shell command of a hook; it exits with 0 even if the program or its file is gone.

    Without its script an interpreter exits with 2, which the harnesses treat as a block.
    """
    return f"{shlex.join(words)} || true"


def _check_words(words: Sequence[str]) -> None:
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise RefusedError(
            f"the path of the command {words!r} is not valid UTF-8; install Recollect in a folder "
            "with a UTF-8 name."
        ) from None


def _steps_in(harness: Harness, launch: Launch, templates: Mapping[str, str]) -> Iterator[_Step]:
    settings, hook_command = harness.files, partial(launch.hook, harness.name)
    if settings.hooks_file:
        yield _hooks_step(settings, hook_command)
    if settings.servers_file and launch.serve:
        yield _server_step(settings, launch.serve)
    for own in settings.own_files:
        template = own.text or templates.get(own.template, "")
        text = _own_text(harness.name, template, hook_command("event")[:-1])
        yield _Step(own.path, partial(_own_file, own, text), text)


def _hooks_step(settings: ProjectFiles, hook_command: Callable[[str], list[str]]) -> _Step:
    hooks = hook_entries(settings, hook_command)
    start = json.loads(settings.hooks_start or "{}")
    return _Step(
        settings.hooks_file,
        lambda text: settings_entries.with_hooks(_started(text, settings.hooks_start), hooks),
        {**start, "hooks": {event: [entry] for event, entry in hooks.items()}},
    )


def hook_entries(
    settings: ProjectFiles, hook_command: Callable[[str], Sequence[str]]
) -> dict[str, dict[str, object]]:
    """The entry among the hooks of each event."""
    hooks: dict[str, dict[str, object]] = {}
    for event, tools in settings.events.items():
        hook: dict[str, object] = {
            "command": shell_line(hook_command(event)),
            "timeout": settings.timeout,
        }
        matcher = {"matcher": tools} if tools else {}
        if settings.hook_shape == "groups":
            hooks[event] = {**matcher, "hooks": [{"type": "command", **hook}]}
        else:
            hooks[event] = {**hook, **matcher}
    return hooks


def _server_step(settings: ProjectFiles, serve_command: list[str]) -> _Step:
    if settings.servers_file.endswith(".toml"):
        from recollect.agents import toml_settings  # tomlkit costs 40 ms

        return _Step(
            settings.servers_file,
            lambda text: toml_settings.with_server(text, serve_command),
            toml_settings.block(serve_command),
        )
    key, server = settings.servers_key, settings.server_entry(serve_command)
    return _Step(
        settings.servers_file,
        lambda text: settings_entries.with_server(text, key, server),
        {key: {SERVER: server}},
    )


def _steps_out(settings: ProjectFiles) -> Iterator[_Step]:
    if settings.hooks_file:
        yield _Step(settings.hooks_file, lambda text: _without_hooks(text, settings.hooks_start))
    if settings.servers_file.endswith(".toml"):
        from recollect.agents import toml_settings  # tomlkit costs 40 ms

        yield _Step(settings.servers_file, toml_settings.without_server)
    elif settings.servers_file:
        key = settings.servers_key
        yield _Step(settings.servers_file, lambda text: settings_entries.without_server(text, key))
    for own in settings.own_files:
        yield _Step(own.path, partial(_without_own, own))


def _changes(files: Mapping[str, str | None], steps: Iterable[_Step]) -> list[FileChange]:
    """The steps of each file made one after the other: one change, or advice and none."""
    by_path: dict[str, list[_Step]] = {}
    for step in steps:
        by_path.setdefault(step.path, []).append(step)
    changes = [_change(path, files.get(path), todo) for path, todo in by_path.items()]
    return [change for change in changes if change.advice or change.after != change.before]


def _change(path: str, before: str | None, steps: Sequence[_Step]) -> FileChange:
    after = before
    try:
        for step in steps:
            after = step.edit(after)
    except RefusedError as error:
        by_hand = _by_hand([step.by_hand for step in steps])
        todo = "Add to it yourself" if by_hand else "Remove the entries that name recollect yourself"
        return FileChange(path, before, before, f"{path} was left alone: {error}. {todo}.", by_hand)
    return FileChange(path, before, after)


def _by_hand(additions: Sequence[str | Mapping[str, object]]) -> str:
    """What to add to a file, as one text: members of JSON are joined into one object."""
    members: dict[str, object] = {}
    texts: list[str] = []
    for addition in additions:
        if isinstance(addition, str):
            texts.append(addition)
        else:
            members |= addition
    return "\n".join([*([_json(members)] if members else []), *filter(None, texts)])


def _started(text: str | None, start: str) -> str | None:
    """The text to add hooks to: `start` for a new file. Other values for what `start` says are refused."""
    if not start:
        return text
    for key, value in json.loads(start).items():
        if text is not None and value_at(text, (key,)) != value:
            raise RefusedError(f'it does not say "{key}": {json.dumps(value)}')
    return start if text is None else text


def _without_hooks(text: str | None, start: str) -> str | None:
    after = settings_entries.without_hooks(text)
    return None if start and after != text and after == start else after


def _own_text(name: str, text: str, hook_words: Sequence[str]) -> str:
    words = json.dumps(list(hook_words), ensure_ascii=False)
    return text.replace(json.dumps(SHARED.hook(name, "event")[:-1]), words)


def _without_own(own: OwnFile, before: str | None) -> str | None:
    return None if before is not None and own.mark in before else before


def _own_file(own: OwnFile, text: str, before: str | None) -> str:
    if before is not None and own.mark not in before:
        raise RefusedError("a file of that name exists that Recollect did not write")
    return text


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
