"""What is stored of prompts and tools has passed the gate, by construction."""

import ast
from pathlib import Path

import pytest
from tests.requirements import requirement

import recollect

SOURCE = Path(recollect.__file__).parent
# Each is made of clean text in one place. Storage makes items of what it loads, and so do calls that were put
# aside after the gate and what hooks stored for a team's database; the bench stores none.
MAKERS = {
    "RedactedText": {"working/redacted.py", "hook/pending_calls.py"},
    "ToolCall": {"working/capture.py", "hook/pending_calls.py"},
    "Extracted": {"working/extraction.py"},
    "Item": {
        "working/capture.py",
        "hook/pending_calls.py",
        "app/hook_spool.py",
        "storage/sqlite/sessions.py",
        "storage/postgres/sessions.py",
        "bench/session_recall.py",
    },
}


def makers_of(name: str) -> set[str]:
    return {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }


@pytest.mark.parametrize("name", MAKERS)
@requirement("working:store:gate")
def test_a_value_that_stores_accept_is_made_behind_the_gate_only(name: str) -> None:
    assert makers_of(name) == MAKERS[name]
