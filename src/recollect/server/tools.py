"""The tools, on one page: what each is for, what it takes and gives, what it may do."""

from collections.abc import Callable
from dataclasses import dataclass

import mcp_types as types

from recollect.app.project import Recollect
from recollect.records.fields import Field
from recollect.records.json_schema import type_schema
from recollect.records.store import Progress
from recollect.server import context_tool, read_tools, search_tool, why_tool, working_tool, write_tools
from recollect.server.arguments import Arguments, Ask, asked, input_schema
from recollect.server.reply import ToolReply
from recollect.views.health import ToolHealthOutput
from recollect.views.memories import ToolContextOutput, ToolGetOutput, ToolSearchOutput
from recollect.views.saves import ToolSaveOutput
from recollect.views.sessions import ToolWorkingOutput
from recollect.views.why import ToolWhyOutput


@dataclass(frozen=True, slots=True)
class Hints:
    """What a tool does to the memories. `destroys`: what was there before is no longer in the file."""

    reads: bool = False
    destroys: bool = False
    repeatable: bool = False


READS = Hints(reads=True, repeatable=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its name, what it is for, its fields, and the function that does it."""

    name: str
    purpose: str
    takes: tuple[Field, ...]
    output: type  # a typed dict of `recollect.views`
    hints: Hints
    work: Callable[[Recollect, Ask], ToolReply]

    def ask(self, given: Arguments, progress: Progress) -> Ask:
        """A call with these arguments. Raises RefusedError that says what was expected."""
        return asked(self.name, self.takes, given, progress)

    @property
    def described(self) -> types.Tool:
        """The tool as clients are told of it."""
        return types.Tool(
            name=self.name,
            description=self.purpose,
            input_schema=input_schema(self.takes),
            output_schema=type_schema(self.output),
            annotations=types.ToolAnnotations(
                read_only_hint=self.hints.reads,
                destructive_hint=self.hints.destroys,
                idempotent_hint=self.hints.repeatable,
                open_world_hint=False,
            ),
        )


TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_search",
        "Find memories: decisions, constraints, preferences, runbooks, tech debt, session summaries. "
        "Gives a compact list; read one with memory_get.",
        search_tool.TAKES,
        ToolSearchOutput,
        READS,
        search_tool.search,
    ),
    Tool(
        "memory_context",
        "What is known about a task, before starting it.",
        context_tool.TAKES,
        ToolContextOutput,
        READS,
        context_tool.context,
    ),
    Tool(
        "memory_get",
        "Read one memory whole.",
        read_tools.GET_TAKES,
        ToolGetOutput,
        READS,
        read_tools.get,
    ),
    Tool(
        "memory_save",
        "Keep something for later sessions: one fact a memory, with its reason. Secrets are taken out. "
        "If a memory says it already, nothing is written and that one is named.",
        write_tools.SAVE_TAKES,
        ToolSaveOutput,
        Hints(),
        write_tools.save,
    ),
    Tool(
        "memory_update",
        "Change a memory, or retire, archive or restore it.",
        write_tools.UPDATE_TAKES,
        ToolSaveOutput,
        Hints(destroys=True, repeatable=True),
        write_tools.update,
    ),
    Tool(
        "memory_link",
        "Say what one memory is to another. supersedes ends the validity of the target.",
        write_tools.LINK_TAKES,
        ToolSaveOutput,
        Hints(repeatable=True),
        write_tools.link,
    ),
    Tool(
        "memory_why",
        "Why a memory is so: its links walked back with their evidence, and what superseded it.",
        why_tool.TAKES,
        ToolWhyOutput,
        READS,
        why_tool.explain,
    ),
    Tool(
        "working_memory",
        "What a session has in mind: errors, failing tests, edits, commits.",
        working_tool.TAKES,
        ToolWorkingOutput,
        READS,
        working_tool.in_mind,
    ),
    Tool(
        "memory_health",
        "What is wrong with the memories, if anything.",
        read_tools.HEALTH_TAKES,
        ToolHealthOutput,
        READS,
        read_tools.health,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
