"""What we know of one harness, as one value: how it reports events, and where it keeps which files.

Values and pure functions. Nothing here opens a file or reads the environment: the hook and
`recollect.app.connections` do, and pass in what they read.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from recollect.agents.event import Event, HookReply, Kind
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row, TranscriptRows
    from recollect.working.tools import ToolNames

    HookShape = Literal["groups", "entries"]
    Env = Mapping[str, str]
    Texts = Sequence[str | None]

# The hook ends itself long before; the harness enforces this only if it cannot.
TIMEOUT_SECONDS = 10


class OwnFile(Frozen):
    """A file that is ours alone. `mark` tells it from a user's file of that name.

    Its text is `text`, or that of the packaged file `template`, relative to this module. In both, the words
    that run our hook from PATH become those that run it here, if the file is for this machine alone.
    """

    path: str
    mark: str
    text: str = ""
    template: str = ""


SKILL_MARK = "Part of Recollect."
_SKILLS = ("search", "save", "status")


def skill_files(template: str, path: str) -> tuple[OwnFile, ...]:
    """The files for searching, saving and the state of the memory: `{}` stands for the word for each."""
    return tuple(
        [OwnFile(path.format(name), SKILL_MARK, template=template.format(name)) for name in _SKILLS]
    )


def command_and_args(words: Sequence[str]) -> dict[str, object]:
    """An entry among MCP servers as most harnesses write it."""
    return {"command": words[0], "args": list(words[1:])}


class ProjectFiles(Frozen):
    """The files that `recollect init` changes, relative to the project, and what it writes into them.

    `events` maps each event to the tools it is about ("" for all); `timeout` is in the harness's unit.
    A hook is an entry of its own ("entries") or in a group with a matcher ("groups"). `hooks_start` is
    the text of a new hooks file, if it needs more than the hooks. `skills` are its skills and commands, and
    `search_skill` is what a person or an agent types to search; '' if it has none.
    """

    hooks_file: str = ""
    events: Mapping[str, str] = {}
    timeout: int = TIMEOUT_SECONDS
    hook_shape: HookShape = "groups"
    hooks_start: str = ""
    servers_file: str = ""
    servers_key: str = "mcpServers"
    server_entry: Callable[[Sequence[str]], dict[str, object]] = command_and_args
    own_file: OwnFile | None = None
    skills: tuple[OwnFile, ...] = ()
    search_skill: str = ""

    @property
    def own_files(self) -> tuple[OwnFile, ...]:
        """Every file that is ours alone."""
        return (self.own_file, *self.skills) if self.own_file else self.skills

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that is read, and may be changed."""
        named = (self.hooks_file, self.servers_file, *(own.path for own in self.own_files))
        return tuple(dict.fromkeys(name for name in named if name))


class Presence(Frozen):
    """How to see that a harness is in use: its files in a project, its programs on PATH.

    `user_folders` gives the folders of its user's settings, its own first, from the home and environment.
    A relative one starts in the folder in which the harness is started.
    """

    project: tuple[str, ...]
    programs: tuple[str, ...]
    user_folders: Callable[[str, Env], tuple[str, ...]]


class Plugin(Frozen):
    """How to see that our plugin connects a harness.

    `files` names the harness's own records, given its user folder (a relative file is in the project);
    `is_enabled` reads their texts, None for no file, for a project folder. `next_step` is what a person
    does after installing the plugin.
    """

    files: Callable[[str], tuple[str, ...]]
    is_enabled: Callable[[Texts, str], bool]
    next_step: str = ""


class Permissions(Frozen):
    """Rules about MCP tools that a user has in a harness.

    `files` names the files with them as `Plugin.files` does; a relative one is the project's. `rules` gives
    the rules of one file's text: effect (allow, ask or deny), pattern, and patterns that are left out.
    """

    files: Callable[[str], tuple[str, ...]]
    rules: Callable[[str], Sequence[tuple[str, str, tuple[str, ...]]]]


class Approval(Frozen):
    """What a person does before a harness runs what `init` wrote. No harness may be answered for its user.

    Where the harness records what its user trusts, `files` names those records as `Plugin.files` does, and
    `remaining` gives the step that is left by their texts and the project folder; '' for none.
    """

    step: str
    files: Callable[[str], tuple[str, ...]] | None = None
    remaining: Callable[[Texts, str], str] | None = None


class PastTranscripts(Frozen):
    """Where a harness leaves transcripts, and what one of their rows says.

    `files` gives glob patterns, by the user's home and environment. `folders` gives patterns of folders that
    hold a session in many small files, and `databases` paths of SQLite databases with sessions. `at` is the
    moment of a row, in any form the harness writes.
    """

    read: Callable[[Row], Sequence[PastEvent]]
    at: Callable[[Row], str]
    files: Callable[[str, Env], tuple[str, ...]] | None = None
    folders: Callable[[str, Env], tuple[str, ...]] | None = None
    databases: Callable[[str, Env], tuple[str, ...]] | None = None


class Harness(Frozen):
    """One harness. `read` and `write` are its dialect; they never raise.

    `kinds` maps its events to ours; text answered to an event of a kind in `context_kinds` reaches the
    conversation. `files` are those of the project, which a team commits; `local_files` are those that the
    harness keeps beside them for one person, None if it keeps none. `transcript` reads what a hook needs of
    the running session, `past` whole transcripts of earlier ones. `local_server` is what a person does to
    add an MCP server there, with `{}` for its command.
    """

    name: str
    kinds: Mapping[str, Kind]
    context_kinds: frozenset[Kind]
    read: Callable[[str, Mapping[str, Any]], Event]
    write: Callable[[Event, HookReply], str]
    tools: ToolNames
    files: ProjectFiles
    presence: Presence
    approval: Approval
    transcript: TranscriptRows | None = None
    past: PastTranscripts | None = None
    plugin: Plugin | None = None
    local_files: ProjectFiles | None = None
    local_server: str = ""
    permissions: Permissions | None = None

    def event(self, name: str, payload: Mapping[str, Any]) -> Event:
        """The event in `payload`; what is missing, unknown or of a wrong type is left empty."""
        event = replaced(self.read(name, payload), harness=self.name)
        if not event.tool:
            return event
        translated = self.tools.translated(event.tool_input)
        return replaced(event, tool_kind=self.tools.kind(event.tool), tool_input=translated)
