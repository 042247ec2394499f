"""How soon are added tools found? `python docs/measurements/added_tools.py SET`, the folder of a tool set.

The last 200 tools of the set are added to a search over the others. Prints the seconds until words find them,
and until meaning does. They get a word that nobody used before, so that no cache has their vectors; the
others are embedded before the clock starts. Needs a model.
"""

import secrets
import sys
import time
from dataclasses import replace
from pathlib import Path

from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.bench.tools import load_tool_set

ADDED = 200


def first_without_meaning(search: ToolSearch, word: str) -> bool:
    """Whether the first tool for the word is one of the added, found by words alone."""
    [first] = search.find(word, limit=1).hits
    return word in first.tool.description and first.why.meaning is None


def main(folder: str) -> None:
    tools = load_tool_set(Path(folder)).tools
    word = secrets.token_hex(8)
    added = [replace(tool, description=f"{tool.description} {word}") for tool in tools[-ADDED:]]
    before = open_tool_search(tools[:-ADDED])
    before.embed()
    before.find("load the model")

    started = time.perf_counter()
    search = open_tool_search([*tools[:-ADDED], *added], previous=before)
    assert first_without_meaning(search, word)
    print(f"{len(added)} tools beside {len(tools) - len(added)}")
    print(f"found by words after {time.perf_counter() - started:.1f} s")
    search.embed()
    assert not first_without_meaning(search, word)
    print(f"found by meaning after {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
