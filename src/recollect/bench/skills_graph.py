"""The speed of a large skill graph: reading the folders, the cached graph, and searching it."""

import random
import statistics
import tempfile
from functools import partial
from pathlib import Path

from recollect.app.opening import open_skills
from recollect.app.skills import Skills
from recollect.bench.timing import compared, timed
from recollect.views.benches import SkillsRow, SpeedRow

PARTS = ("checklist", "examples", "limits", "glossary", "troubleshooting")
_TOPICS = "deploy review release billing search login schema queue cache report".split()  # noqa: SIM905
_DEEDS = "plan test roll-back audit migrate tune".split()  # noqa: SIM905
_TEXT = (
    "check the ledger before a switch and tell who is on call; keep the old table until every reader has "
    "moved; a retry without a key pays twice; measure first, then change one thing; write down what was "
    "seen and when; the partner wants a week of notice; never skip the dry run"
)
QUERIES = (
    "roll back a deploy",
    "tune the search cache",
    "glossary of billing",
    "what to audit in a login",
)


def measure(
    skills: int = 60, rounds: int = 20, folder: Path | None = None
) -> tuple[SkillsRow, list[SpeedRow]]:
    """Count and time the graph of a skill folder: of `folder`, or of as many made-up skills."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as temporary:
        place = folder or generate_skills(Path(temporary), skills)
        loaded = open_skills(place)
        graph = loaded.reread()
        builds = [timed(lambda: _rebuilt(loaded)) for _ in range(rounds)]
        search = loaded.search()
        hits = [timed(loaded.search) for _ in range(rounds * 50)]
        asks = [timed(partial(search.search, text)) for _ in range(rounds) for text in QUERIES]
    name, baseline = f"skill graph of {len(graph.nodes)} pages", "reading the folder again"
    figures: SkillsRow = {
        "pages": len(graph.nodes) + len(graph.notes),
        "nodes": len(graph.nodes),
        "edges": len(graph.edges) + len(graph.crossing),
        "broken": len(graph.broken),
        "build_ms": round(statistics.median(builds), 2),
    }
    return figures, [
        compared(f"{name}, kept", hits, 1.0, baseline, builds),
        compared(f"{name}, searched", asks, 30.0, baseline, builds),
    ]


def _rebuilt(skills: Skills) -> object:
    skills.refresh()
    return skills.search()


def generate_skills(folder: Path, count: int) -> Path:
    """Write `count` skills of six pages each, linked to each other; the same every time."""
    names = _names(count)
    chance = random.Random(7)  # noqa: S311 - the same tree every time, not a secret
    for position, name in enumerate(names):
        others = [names[(position + step) % count] for step in (1, 7, 31)]
        _write(folder / name / "SKILL.md", _head(name, others, chance))
        for part in PARTS:
            text = f"# {part.title()} for {name}\n\n{_prose(chance, 120)}\n\nBack to [[{name}]].\n"
            _write(folder / name / "references" / f"{part}.md", text)
    return folder


def _names(count: int) -> list[str]:
    return [
        f"{_TOPICS[n % len(_TOPICS)]}-{_DEEDS[n // len(_TOPICS) % len(_DEEDS)]}-{n}"
        for n in range(count)
    ]


def _head(name: str, others: list[str], chance: random.Random) -> str:
    linked = "\n".join(f"- [{part}](references/{part}.md)" for part in PARTS)
    return (
        f"---\nname: {name}\ndescription: How to {name.replace('-', ' ')} here, step by step.\n"
        f"tags: [{name.partition('-')[0]}]\nrelated: [{others[0]}]\ndescribes: [mem:{name}]\n---\n\n"
        f"# {name.replace('-', ' ').title()}\n\n{_prose(chance, 80)}\n\n## Steps\n\n{linked}\n\n"
        "```sh\n# no heading, and [[no-link]]\n```\n\n## See\n\n"
        f"[[{others[1]}]], [more](../{others[2]}/SKILL.md)\n"
    )


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_TEXT.split(), k=words))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
