"""The tools, on one page: what each is for, what it takes and gives, what it may do."""

from collections.abc import Callable
from dataclasses import dataclass

import mcp_types as types

from recollect.app import Recollect
from recollect.records.fields import Field
from recollect.records.store import Progress
from recollect.server import context, finding, reading, why, working, writing
from recollect.server.arguments import Arguments, Ask, asked, input_schema, output_schema
from recollect.server.reply import WRITTEN, Reply


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
    gives: tuple[Field, ...]
    hints: Hints
    work: Callable[[Recollect, Ask], Reply]

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
            output_schema=output_schema(self.gives),
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
        finding.TAKES,
        finding.GIVES,
        READS,
        finding.search,
    ),
    Tool(
        "memory_context",
        "What is known about a task, before starting it.",
        context.TAKES,
        context.GIVES,
        READS,
        context.context,
    ),
    Tool(
        "memory_get",
        "Read one memory whole.",
        reading.GET_TAKES,
        reading.GET_GIVES,
        READS,
        reading.get,
    ),
    Tool(
        "memory_save",
        "Keep something for later sessions: one fact a memory, with its reason. Secrets are taken out. "
        "If a memory says it already, nothing is written and that one is named.",
        writing.SAVE_TAKES,
        WRITTEN,
        Hints(),
        writing.save,
    ),
    Tool(
        "memory_update",
        "Change a memory, or retire, archive or restore it.",
        writing.UPDATE_TAKES,
        WRITTEN,
        Hints(destroys=True, repeatable=True),
        writing.update,
    ),
    Tool(
        "memory_link",
        "Say what one memory is to another. supersedes ends the validity of the target.",
        writing.LINK_TAKES,
        WRITTEN,
        Hints(repeatable=True),
        writing.link,
    ),
    Tool(
        "memory_why",
        "Why a memory is so: its links walked back with their evidence, and what superseded it.",
        why.TAKES,
        why.GIVES,
        READS,
        why.explain,
    ),
    Tool(
        "working_memory",
        "What a session has in mind: errors, failing tests, edits, commits.",
        working.TAKES,
        working.GIVES,
        READS,
        working.in_mind,
    ),
    Tool(
        "memory_health",
        "What is wrong with the memories, if anything.",
        reading.HEALTH_TAKES,
        reading.HEALTH_GIVES,
        READS,
        reading.health,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
