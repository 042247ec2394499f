"""Rows of transcripts as the harnesses write them, with words of our own in them."""

import json
from pathlib import Path
from typing import Any

HARNESSES = ("claude-code", "codex", "gemini")


def claude(content: Any, **marks: Any) -> dict[str, Any]:
    """A prompt, or what else Claude Code writes in the user's name."""
    row = {"isSidechain": False, "type": "user", "message": {"role": "user", "content": content}}
    return {**row, "sessionId": "s1", **marks}


def claude_call(**given: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [call]}}


def codex(item: dict[str, Any]) -> dict[str, Any]:
    """Something that is done, in a Codex rollout."""
    return {"ordinal": 7, "type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def codex_prompt(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text, "text_elements": []}]
    return codex({"type": "UserMessage", "id": "u1", "content": content})


def codex_command(call: str, exit_code: int, output: str = "", **more: Any) -> dict[str, Any]:
    status = "failed" if exit_code else "completed"
    ended = {"status": status, "aggregated_output": output, "exit_code": exit_code, **more}
    return codex({"type": "CommandExecution", "id": call, "command": ["bash", "-lc", "make"], **ended})


def gemini(*texts: str, **more: Any) -> dict[str, Any]:
    return {"id": "g1", "type": "user", "content": [{"text": text} for text in texts], **more}


def gemini_call(**given: Any) -> dict[str, Any]:
    call = {"id": "c1", "name": "read_file", "args": given, "status": "success"}
    return {"id": "g2", "type": "gemini", "content": "", "toolCalls": [call]}


def prompt_row(harness: str, text: str) -> dict[str, Any]:
    """A prompt as a harness writes it down."""
    match harness:
        case "claude-code":
            return claude(text)
        case "codex":
            return codex_prompt(text)
        case _:
            return gemini(text, displayContent=[{"text": text}])


def call_row(harness: str, path: str) -> dict[str, Any]:
    """A tool call about a file, as a harness writes it down."""
    match harness:
        case "claude-code":
            return claude_call(file_path=path)
        case "codex":
            return codex({"type": "FileChange", "id": "call_2", "changes": {path: {"type": "update"}}})
        case _:
            return gemini_call(file_path=path)


def output_row(harness: str, text: str) -> dict[str, Any]:
    """What a tool returned, as a harness writes it down."""
    match harness:
        case "claude-code":
            return claude([{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}])
        case "codex":
            return codex_command("call_1", 0, text)
        case _:
            return gemini_answer(text)


def gemini_answer(text: str) -> dict[str, Any]:
    response = {"functionResponse": {"name": "read_file", "response": {"output": text}}}
    return {"id": "g3", "type": "user", "content": [response]}


def written(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
