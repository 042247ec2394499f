"""A recording of a server: its tools, and calls with their results. Lines of JSON, without secrets.

`docs/formats/recording.md` specifies the file.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.errors import InvalidError, NotFoundError
from recollect.records.json_format import Json, JsonObject

FORMAT, VERSION = "recollect-recording", 1
_SHOWN = 200  # characters of the arguments of a call that was recorded


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a tool, with the result as MCP sends it. Both have passed the redaction gate."""

    tool: str
    arguments: JsonObject
    result: JsonObject


@dataclass(frozen=True, slots=True)
class Recording:
    """What a server listed and answered, in order."""

    server: str
    tools: tuple[JsonObject, ...]
    calls: tuple[RecordedCall, ...] = ()


def head_line(server: str, tools: Sequence[JsonObject]) -> str:
    """The first line of a recording."""
    head: JsonObject = {"format": FORMAT, "version": VERSION, "server": server, "tools": list(tools)}
    return _line(head)


def call_line(call: RecordedCall) -> str:
    """One call as a line."""
    return _line({"tool": call.tool, "arguments": call.arguments, "result": call.result})


def read_recording(lines: Iterable[str]) -> Recording:
    """A recording. A last line that was not finished is left out. Raises InvalidError for anything else."""
    rows = [line for line in lines if line.strip()]
    head = _object(rows[0] if rows else "", 1)
    tools = head.get("tools")
    if head.get("format") != FORMAT or head.get("version") != VERSION or not isinstance(tools, list):
        raise InvalidError(
            f"this is not a recording of version {VERSION}; `recollect gateway record` makes one."
        )
    calls = [
        _call(row, number)
        for number, row in enumerate(rows[1:], 2)
        if number < len(rows) or row.endswith("\n")
    ]
    listed = tuple(tool for tool in tools if isinstance(tool, dict))
    return Recording(str(head.get("server")), listed, tuple(calls))


class Replay:
    """Answers calls as they were recorded. Equal calls get their results in order, then the last again."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._results: dict[str, list[JsonObject]] = {}
        for call in recording.calls:
            self._results.setdefault(_key(call.tool, call.arguments), []).append(call.result)

    def answer(self, tool: str, arguments: Mapping[str, Json]) -> JsonObject:
        """The result of a call. Raises NotFoundError that says what was recorded instead."""
        results = self._results.get(_key(tool, arguments))
        if results is None:
            raise NotFoundError(self._unrecorded(tool))
        return results.pop(0) if len(results) > 1 else results[0]

    def _unrecorded(self, tool: str) -> str:
        calls = [call for call in self._recording.calls if call.tool == tool]
        name = f"{tool!r} of the server {self._recording.server!r}"
        if not calls:
            return f"not recorded: the recording has no call of {name}."
        example = json.dumps(calls[-1].arguments, ensure_ascii=False)[:_SHOWN]
        return (
            f"not recorded: the recording has no call of {name} with these arguments. It has "
            f"{len(calls)} of this tool, the last with {example}."
        )


def _call(row: str, number: int) -> RecordedCall:
    match _object(row, number):
        case {"tool": str(tool), "arguments": dict(arguments), "result": dict(result)}:
            return RecordedCall(tool, arguments, result)
    raise InvalidError(f"line {number} of the recording is not a call.")


def _object(row: str, number: int) -> JsonObject:
    try:
        value = json.loads(row)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InvalidError(f"line {number} of the recording is not a JSON object.")
    return value


def _key(tool: str, arguments: Mapping[str, Json]) -> str:
    return json.dumps([tool, dict(arguments)], sort_keys=True)


def _line(document: JsonObject) -> str:
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")) + "\n"
