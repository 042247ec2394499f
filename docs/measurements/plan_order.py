"""Does a plan's order agree with real calls? `python docs/measurements/plan_order.py FOLDER [TOOLS]`.

FOLDER has `sequences.jsonl.gz` ({id, calls[]}). Five folds: the tool graph learns from four, and the fifth is
planned. Prints, for paths of 1 to 3 hops, the share of pairs of tools that the plan orders and the share of
those that agree with the first calls; and how often the usual way names a tool that was called between two
others, or one where none was.
TOOLS, one JSON object a line ({name, input_schema, output_schema}), prints the same for schemas alone.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolEdge
from recollect.gateway.weights import Weight
from recollect.workflow import weights
from recollect.workflow.dependencies import Node, OrderKnowledge, dependencies
from recollect.workflow.field_match import tool_shape
from recollect.workflow.ordering import ordered
from recollect.workflow.tool_paths import ToolPaths

FOLDS = 5
SERVER = "s"


def sequences(folder: Path) -> list[list[str]]:
    """The calls of each sequence, as tool ids."""
    with gzip.open(folder / "sequences.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [[f"{SERVER}:{name}" for name in json.loads(line)["calls"]] for line in lines]


def taught(calls: Sequence[Sequence[str]]) -> list[ToolEdge]:
    """The edges that these sequences leave in the tool graph."""
    counts = Counter(pair for each in calls for pair in pairwise(each))
    return [ToolEdge(source, target, count) for (source, target), count in counts.items()]


def folds(calls: Sequence[list[str]]) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """Every fold: what is learned from, and what is planned."""
    for fold in range(FOLDS):
        yield (
            [each for number, each in enumerate(calls) if number % FOLDS != fold],
            [each for number, each in enumerate(calls) if number % FOLDS == fold],
        )


def judge(nodes: dict[str, Node], calls: Sequence[str], paths: ToolPaths) -> Counter[str]:
    """How many pairs of the sequence's tools are ordered, and how many of them as in the sequence."""
    order = [tool for tool in dict.fromkeys(calls) if tool in nodes]
    made = ordered(dependencies([nodes[tool] for tool in order], OrderKnowledge(paths)))
    after: dict[str, set[str]] = {tool: set() for tool in order}
    for each in made.dependencies:
        after[each.source].add(each.target)
    reached = {tool: _reached(after, tool) for tool in order}
    result: Counter[str] = Counter(broken=len(made.broken))
    for first, second in combinations(order, 2):
        result["pairs"] += 1
        result["ordered"] += second in reached[first] or first in reached[second]
        result["agree"] += second in reached[first]
    return result


def _reached(after: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    level = {start}
    while level:
        level = {other for tool in level for other in after[tool]} - reached
        reached |= level
    return reached


def between(calls: Sequence[str], paths: ToolPaths, known: set[str]) -> Counter[str]:
    """For each tool between two others: does the usual way from one to the other name it?"""
    result: Counter[str] = Counter()
    for first, middle, last in zip(calls, calls[1:], calls[2:], strict=False):
        if len({first, middle, last}) == 3:
            named = paths.usual(first, last, known)
            result += Counter(triples=1, named=len(named), hits=middle in named)
    for first, second in pairwise(calls):
        if first != second:
            result += Counter(adjacent=1, needless=bool(paths.usual(first, second, known)))
    return result


def line(title: str, total: Counter[str]) -> str:
    """One row of the report."""
    share = total["ordered"] / max(total["pairs"], 1)
    agree = total["agree"] / max(total["ordered"], 1)
    return f"{title:28} {total['pairs']:6} {share:8.3f} {agree:8.3f} {total['broken']:7}"


def by_graph(calls: list[list[str]]) -> None:
    """The report over the tool graph."""
    for hops in (1, 2, 3):
        weights.MOST_HOPS = Weight(hops, "hops", "this script", "measured")
        total: Counter[str] = Counter()
        ways: Counter[str] = Counter()
        for learned, planned in folds(calls):
            paths = ToolPaths(taught(learned))
            tools = {id for each in calls for id in each}
            nodes = {id: _node(UpstreamTool(SERVER, id.partition(":")[2])) for id in tools}
            for each in planned:
                total += judge(nodes, each, paths)
                ways += between(each, paths, {id for learned_calls in learned for id in learned_calls})
        print(line(f"tool graph, {hops} hops", total))
        print(
            f"   usual way: {ways['triples']} tools between two others, {ways['named']} named, "
            f"{ways['hits']} of them right; something named for {ways['needless']} of {ways['adjacent']} "
            "pairs with nothing in between"
        )


def by_schema(calls: list[list[str]], path: Path) -> None:
    """The report over schemas alone."""
    nodes: dict[str, Node] = {}
    for text in path.read_text("utf-8").splitlines():
        document = json.loads(text)
        tool = UpstreamTool(
            SERVER,
            document["name"],
            input_schema=document["input_schema"],
            output_schema=document["output_schema"],
        )
        nodes[tool.id] = _node(tool)
    total: Counter[str] = Counter()
    for each in calls:
        total += judge(nodes, each, ToolPaths([]))
    print(line(f"schemas of {len(nodes)} tools", total))


def _node(tool: UpstreamTool) -> Node:
    return Node(tool.id, tool, tool_shape(tool, tool.output_schema or {}))


if __name__ == "__main__":
    data = sequences(Path(sys.argv[1]))
    print(f"{'':28} {'pairs':>6} {'ordered':>8} {'agree':>8} {'broken':>7}")
    by_graph(data)
    if len(sys.argv) > 2:
        by_schema(data, Path(sys.argv[2]))
