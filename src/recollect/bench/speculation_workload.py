"""What an agent does with six published MCP servers: a script of sessions, the same for the same seed.

Habits of daily work (review a repository, look at a file, look something up, ask for the time), each a few
calls of which the next usually follows from the last, with writes in between and a detour now and then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from recollect.records.json_format import Json

DETOUR = 0.05  # of the calls are something else than usual
FILES = tuple(f"part_{number}.py" for number in range(6))
_TOPICS = ("shop", "login", "billing", "search", "cache")


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call that an agent makes. `compares`: its result depends only on what was written before."""

    tool: str
    arguments: Mapping[str, Json]

    @property
    def compares(self) -> bool:
        return not self.tool.startswith(
            ("time:", "memory:create", "filesystem:get_file_info", "sequential-")
        )


@dataclass(frozen=True, slots=True)
class ScriptedPlan:
    """A request that an agent has planned, with the values it knows, and runs."""

    request: str
    values: Mapping[str, Mapping[str, Json]]


Step: TypeAlias = ScriptedCall | ScriptedPlan


def script(folder: Path, episodes: int, seed: int = 16) -> Iterator[list[Step]]:
    """Episodes of work in a folder that is a repository with `FILES`."""
    rng = Random(seed)  # noqa: S311 - repeatable, not secret
    habits = (_review, _explore, _recall, _clock, _save, _note, _try_out, _think, _planned)
    for _ in range(episodes):
        steps = rng.choices(habits, (4, 4, 2, 3, 2, 1, 1, 1, 2))[0](rng, str(folder))
        for number in range(1, len(steps)):
            if rng.random() < DETOUR:
                steps[number] = ScriptedCall("everything:echo", {"message": rng.choice(_TOPICS)})
        yield steps


def _review(rng: Random, folder: str) -> list[Step]:  # noqa: ARG001
    return [
        ScriptedCall("git:git_status", {"repo_path": folder}),
        ScriptedCall("git:git_diff_unstaged", {"repo_path": folder}),
        ScriptedCall("git:git_log", {"repo_path": folder, "max_count": 5}),
        ScriptedCall("git:git_branch", {"repo_path": folder, "branch_type": "local"}),
    ]


def _explore(rng: Random, folder: str) -> list[Step]:
    path = f"{folder}/{rng.choice(FILES)}"
    return [
        ScriptedCall("filesystem:list_allowed_directories", {}),
        ScriptedCall("filesystem:list_directory", {"path": folder}),
        ScriptedCall("filesystem:get_file_info", {"path": path}),
        ScriptedCall("filesystem:read_text_file", {"path": path}),
    ]


def _recall(rng: Random, folder: str) -> list[Step]:  # noqa: ARG001
    return [
        ScriptedCall("memory:read_graph", {}),
        ScriptedCall("memory:search_nodes", {"query": rng.choice(_TOPICS)}),
    ]


def _clock(rng: Random, folder: str) -> list[Step]:  # noqa: ARG001
    zone = rng.choice(("Europe/Berlin", "America/New_York", "Asia/Kolkata"))
    conversion = {"source_timezone": zone, "time": "14:00", "target_timezone": "Asia/Tokyo"}
    return [
        ScriptedCall("time:get_current_time", {"timezone": zone}),
        ScriptedCall("time:convert_time", conversion),
    ]


def _save(rng: Random, folder: str) -> list[Step]:
    name, topic = rng.choice(FILES), rng.choice(_TOPICS)
    written = {"path": f"{folder}/{name}", "content": f"# {topic}\nvalue = {rng.randrange(9)}\n"}
    return [ScriptedCall("filesystem:write_file", written), *_review(rng, folder)]


def _note(rng: Random, folder: str) -> list[Step]:
    entity: Json = {"name": rng.choice(_TOPICS), "entityType": "part", "observations": ["is in use"]}
    return [ScriptedCall("memory:create_entities", {"entities": [entity]}), *_recall(rng, folder)]


def _try_out(rng: Random, folder: str) -> list[Step]:  # noqa: ARG001
    numbers: dict[str, Json] = {"a": rng.randrange(100), "b": rng.randrange(100)}
    return [ScriptedCall("everything:get-env", {}), ScriptedCall("everything:get-sum", numbers)]


def _think(rng: Random, folder: str) -> list[Step]:  # noqa: ARG001
    thought: dict[str, Json] = {
        "thought": f"about {rng.choice(_TOPICS)}",
        "thoughtNumber": 1,
        "totalThoughts": 1,
        "nextThoughtNeeded": False,
    }
    return [ScriptedCall("sequential-thinking:sequentialthinking", thought)]


def _planned(rng: Random, folder: str) -> list[Step]:
    path = f"{folder}/{rng.choice(FILES)}"
    return [
        ScriptedPlan(
            "show the working tree status, then read the contents of a file, then get the current time",
            {
                "git:git_status": {"repo_path": folder},
                "filesystem:read_text_file": {"path": path},
                "time:get_current_time": {"timezone": "UTC"},
            },
        )
    ]
