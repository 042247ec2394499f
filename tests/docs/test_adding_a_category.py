"""The worked example of CONTRIBUTING.md that adds a category: applied to a copy of the tree, and used."""

import json
from pathlib import Path
from typing import Any

from tests.docs.worked_examples import applied, edits_of
from tests.requirements import requirement

HEADING = "Add a category"
TERM = {
    "category": "glossary",
    "title": "Basket",
    "tags": ["shop"],
    "content": {"term": "basket", "meaning": "What a customer has chosen and not paid yet."},
}


def test_the_example_touches_three_source_files() -> None:
    assert {edit.path for edit in edits_of(HEADING)} == {
        "src/recollect/paths.py",
        "src/recollect/records/categories.py",
        "src/recollect/config/__init__.py",
    }


@requirement("docs:worked-examples:category")
def test_a_memory_of_a_new_category_is_saved_checked_and_found(
    tmp_path: Path, env: dict[str, str]
) -> None:
    tree, folder = applied(edits_of(HEADING), tmp_path / "tree"), tmp_path / "shop"
    folder.mkdir()

    def recollect(*arguments: str, stdin: str = "") -> Any:
        done = tree.python("-m", "recollect", *arguments, "--json", folder=folder, env=env, stdin=stdin)
        return json.loads(done.stdout)

    recollect("init", "--no-harness")
    saved = recollect("save", "--file", "-", stdin=json.dumps(TERM))
    assert saved["path"] == ".claude/memory/glossary/basket.json"
    assert recollect("search", "what is a basket", "-c", "glossary")["hits"][0]["id"] == "basket"
    assert recollect("doctor")["healthy"]
    assert recollect("gc")["retired"] == []
    (setting,) = recollect("config", "categories.glossary.retention_days")["settings"]
    assert setting["value"] == 0
