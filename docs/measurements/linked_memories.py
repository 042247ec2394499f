"""A project whose memories and skills are linked as people link them: in topics, with a few hubs."""

import json
import random
from collections import defaultdict
from pathlib import Path

from recollect.bench.generated_memories import SUBJECTS, fill
from recollect.records.record import LinkType

SKILL_SHARE = 15  # one node of this many is a skill
_TOPICS = 60
_NEAR = 0.88  # how often a link stays in its topic
_LINKS = (0, 1, 2, 3, 5)  # that one memory states, and how often
_LINKS_WEIGHTS = (12, 42, 26, 12, 8)
_TYPES = (
    LinkType.DERIVED_FROM,
    LinkType.SUPPORTS,
    LinkType.CAUSED,
    LinkType.ENABLED,
    LinkType.CONTRADICTS,
)
_TYPE_WEIGHTS = (34, 28, 20, 14, 4)


def fill_graph(folder: Path, nodes: int, seed: int = 11) -> None:
    """Write memories and skills, `nodes` of them in all, with about 1.6 links each.

    Later memories link to earlier ones, and rather to those with many links (Barabási and Albert 1999).
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    skills = nodes // SKILL_SHARE
    root = folder / ".claude" / "memory"
    fill(root, nodes - skills)
    topics = [1 / (rank + 3) for rank in range(_TOPICS)]
    ends: dict[int, list[str]] = defaultdict(list)  # of each topic, every id as often as it is linked
    files = sorted(root.glob("*/*.json"), key=lambda file: int(file.stem.rpartition("-")[2]))
    for file in files:
        topic = chance.choices(range(_TOPICS), topics)[0]
        _link(file, topic, ends, chance)
    _write_skills(folder / ".claude" / "skills", skills, ends, chance)


def _link(file: Path, topic: int, ends: dict[int, list[str]], chance: random.Random) -> None:
    links = {}
    for _ in range(chance.choices(_LINKS, _LINKS_WEIGHTS)[0]):
        home = topic if chance.random() < _NEAR else chance.choice(list(ends) or [topic])
        if ends[home]:
            target = chance.choice(ends[home])
            kind = chance.choices(_TYPES, _TYPE_WEIGHTS)[0]
            links[target] = {"type": kind.value, "target": f"mem:{target}", "evidence": "a review"}
    ends[topic] += [file.stem, *links]
    document = json.loads(file.read_text("utf-8")) | {"links": list(links.values())}
    file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _write_skills(folder: Path, count: int, ends: dict[int, list[str]], chance: random.Random) -> None:
    names: list[str] = []
    for number in range(count):
        name = f"{chance.choice(SUBJECTS)}-{number}"
        described = ", ".join(set(chance.choices(ends[chance.choice(list(ends))] or [""], k=2)))
        related = ", ".join(set(chance.choices(names, k=2))) if names else ""
        file = folder / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(
            f"---\nname: {name}\ndescription: How to work with {name}.\ndescribes: [{described}]\n"
            f"related: [{related}]\n---\n\n# {name}\n\nSteps.\n",
            "utf-8",
        )
        names.append(name)
