"""Promises and tests, checked against each other in both directions."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.requirements import manifest

TESTS = Path(__file__).parent
DECISIONS = TESTS.parent / "docs" / "decisions"
SOURCE = re.compile(r"(DESIGN \d+|HARNESSES|STYLE|seed 00\d)\b")


def _claimed() -> set[str]:
    """Every id that a `@requirement(...)` on a test function names."""
    ids: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
                "test_"
            ):
                for call in node.decorator_list:
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "requirement":
                        ids.add(ast.literal_eval(call.args[0]))
    return ids


def test_every_promise_that_is_built_has_a_test() -> None:
    built = {promise.id for promise in manifest() if promise.is_tested}

    assert built - _claimed() == set()


def test_every_id_that_a_test_names_is_a_promise_that_is_built() -> None:
    built = {promise.id for promise in manifest() if promise.is_tested}

    assert _claimed() - built == set()


def test_every_promise_is_a_sentence_and_cites_where_it_comes_from() -> None:
    for promise in manifest():
        assert promise.promise.endswith("."), promise.id
        assert SOURCE.match(promise.source), f"{promise.id}: {promise.source!r} names no source"


def test_a_promise_is_deferred_or_divergent_but_not_both() -> None:
    assert [promise.id for promise in manifest() if promise.deferred and promise.divergent] == []


def test_a_divergent_promise_names_the_decision_that_explains_it() -> None:
    for promise in manifest():
        if promise.divergent:
            assert promise.decision, promise.id
            assert list(DECISIONS.glob(f"{promise.decision}-*.md")), promise.id


def test_no_promise_is_made_twice() -> None:
    counts = Counter(promise.promise for promise in manifest())

    assert [promise for promise, count in counts.items() if count > 1] == []
