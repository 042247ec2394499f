"""Which tools does a plan choose? `python docs/measurements/plan_tools.py SET...`, labelled tool sets.

Plans requests of each set by words alone, and prints for those that need one tool and those that need more:
tools per plan, precision and recall of the chosen tools, and the recall of as many best hits of one search as
the request needs.
"""

import random
import sys
from collections import Counter
from pathlib import Path

from recollect.bench.tools import ToolSet, load_tool_set
from recollect.gateway.discovery import Discovery, discover
from recollect.gateway.relevance import ToolIndex, tool_index
from recollect.workflow.candidates import candidates
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.planning import plan

MOST = 300  # requests of a set


def measure(data: ToolSet) -> dict[str, Counter[str]]:
    """Counts for requests that need one tool, and for those that need several."""
    index = tool_index(data.tools)
    chance = random.Random(1)  # noqa: S311 - repeatable, not secret
    totals: dict[str, Counter[str]] = {"one": Counter(), "several": Counter()}
    for question in chance.sample(data.questions, min(MOST, len(data.questions))):
        needed = set(question.grades)
        totals["one" if len(needed) == 1 else "several"] += judged(question.text, needed, index)
    return totals


def judged(text: str, needed: set[str], index: ToolIndex) -> Counter[str]:
    """One request: how many tools it needs, the plan has, and both have."""

    def find(step: str) -> Discovery:
        return discover(step, index, stepwise=False)

    steps, options = candidates(text, find)
    tools = {task.tool for task in plan(PlanRequest(text, options, steps)).workflow.tasks}
    best = {hit.tool.id for hit in find(text).hits[: len(needed)]}
    return Counter(
        requests=1,
        needed=len(needed),
        planned=len(tools),
        right=len(tools & needed),
        best=len(best & needed),
    )


def main(folders: list[str]) -> None:
    """The table."""
    print(f"{'':36} requests  per plan  precision  recall  best hits")
    for folder in folders:
        data = load_tool_set(Path(folder))
        for kind, total in measure(data).items():
            if total["requests"]:
                print(
                    f"{data.name + ', ' + kind:36} {total['requests']:8} "
                    f"{total['planned'] / total['requests']:9.2f} "
                    f"{total['right'] / max(total['planned'], 1):10.3f} "
                    f"{total['right'] / total['needed']:7.3f} {total['best'] / total['needed']:10.3f}"
                )


if __name__ == "__main__":
    main(sys.argv[1:])
