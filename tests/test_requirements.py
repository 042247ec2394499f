"""Promises and tests, checked against each other in both directions."""

import ast
from collections import Counter
from pathlib import Path

from tests.requirements import manifest

TESTS = Path(__file__).parent


def _claimed() -> set[str]:
    """Every id that a `@requirement(...)` on a test function names."""
    found: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
                "test_"
            ):
                for call in node.decorator_list:
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "requirement":
                        found.add(ast.literal_eval(call.args[0]))
    return found


def test_every_promise_has_a_test_that_holds_it() -> None:
    assert {promise.id for promise in manifest()} - _claimed() == set()


def test_every_id_that_a_test_names_is_a_promise() -> None:
    assert _claimed() - {promise.id for promise in manifest()} == set()


def test_every_promise_says_what_and_where_it_comes_from() -> None:
    for promise in manifest():
        assert promise.behaviour.endswith("."), promise.id
        assert promise.source, promise.id


def test_no_promise_is_made_twice() -> None:
    counts = Counter(promise.behaviour for promise in manifest())
    assert [behaviour for behaviour, count in counts.items() if count > 1] == []
