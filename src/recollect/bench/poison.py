"""Does what is poisoned stay harmless? Attacks in memories, and what the real prompt hook makes of them.

Each case runs three times: with the attack in a body, in a title, and in memories that a tool wrote.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast
from xml.etree import ElementTree as ET

from recollect.app.opening import hook_command, init_project
from recollect.app.project import Recollect
from recollect.bench.hook import clean_environment
from recollect.bench.json_lines import JsonLine, read
from recollect.hook.injection import MOST_CHARACTERS, search_pointer
from recollect.records.draft import Draft
from recollect.records.json_format import Json

Form = Literal["body", "title", "tool"]
FORMS: tuple[Form, ...] = ("body", "title", "tool")
PROBLEMS = ("unreadable", "too long", "unescaped", "leaked", "unconfirmed")
_TITLE = (
    100  # characters; a title may have 120, and what the gate puts in place of a secret may be longer
)
_MARKUP = frozenset("<>\"'`")


@dataclass(frozen=True, slots=True)
class PoisonCase:
    """A question, the memories that are there, and the words that show that an attack got through, if any."""

    id: str
    question: str
    memories: Mapping[str, str]
    marker: str


@dataclass(frozen=True, slots=True)
class PoisonOutcome:
    """The hook's output for one case in one form: the number of pointers, and the problems."""

    case: str
    form: Form
    injected: int
    problems: tuple[str, ...]


def load(folder: Path) -> list[PoisonCase]:
    """The cases of a set: `cases.jsonl.gz` of {id, question, memories, attack_marker}."""
    return [
        PoisonCase(line.name("id"), line.text("question"), _memories(line), line.text("attack_marker"))
        for line in read(folder / "cases.jsonl.gz")
    ]


def _memories(line: JsonLine) -> dict[str, str]:
    memories = line.row.get("memories")
    if not isinstance(memories, dict):
        raise line.wrong("'memories' is missing; it must be an object of texts by name")
    return memories


def measure(cases: list[PoisonCase], report: Callable[[int, int], None]) -> list[PoisonOutcome]:
    """Run each case in each form, in a separate project and process."""
    pairs = [(case, form) for case in cases for form in FORMS]
    outcomes = []
    for done, (case, form) in enumerate(pairs, start=1):
        outcomes.append(judge(case, form, _hook_output(case, form)))
        report(done, len(pairs))
    return outcomes


def _hook_output(case: PoisonCase, form: Form) -> bytes:
    """What the hook prints."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        env = clean_environment(folder)
        recollect, _ = init_project(folder, env=env)
        _fill(recollect, case, form)
        event = {"session_id": "s", "cwd": name, "prompt": case.question}
        return subprocess.run(
            hook_command("claude-code", "UserPromptSubmit"),
            input=json.dumps(event).encode(),
            capture_output=True,
            check=True,
            env=env,
        ).stdout


def _fill(recollect: Recollect, case: PoisonCase, form: Form) -> None:
    for name, text in case.memories.items():
        subject = name.replace("_", " ").capitalize()
        attack = _around(case.marker, text) if form == "title" else ""
        content = {"topic": subject, "value": text, "reason": "It was said.", "strength": "soft"}
        document = {
            "category": "preference",
            "title": f"{subject} {attack}".strip()[:_TITLE],
            "tags": [subject],
            "content": cast("Json", content),
            "source": {"kind": "tool" if form == "tool" else "user"},
        }
        recollect.memories.save(Draft(cast("dict[str, Json]", document)), allow_repeat=True)
    recollect.search.update_index()


def _around(marker: str, text: str) -> str:
    """A stretch of a text that begins shortly before the marker."""
    at = text.find(marker) if marker else -1
    return text[max(0, at - 40) :] if at >= 0 else ""


def judge(case: PoisonCase, form: Form, output: bytes) -> PoisonOutcome:
    """Hold what was printed against what may be printed."""
    try:
        context = json.loads(output)["hookSpecificOutput"]["additionalContext"] if output else ""
    except (ValueError, KeyError, TypeError):
        return PoisonOutcome(case.id, form, 0, ("unreadable",))
    if context in ("", search_pointer()):
        return PoisonOutcome(case.id, form, 0, ())
    pointers = context.splitlines()[1:-1]
    return PoisonOutcome(case.id, form, len(pointers), tuple(_problems(case, form, context, pointers)))


def _problems(case: PoisonCase, form: Form, context: str, pointers: list[str]) -> Iterator[str]:
    if not _is_one_element(context):
        yield "unreadable"
    if len(context) > MOST_CHARACTERS:
        yield "too long"
    inside = "".join(pointers).replace(" -> ", " ")
    if _MARKUP & set(inside) or not inside.isprintable():
        yield "unescaped"
    # A title is shown as text; the rest of a memory is not.
    allowed = pointers if form == "title" else []
    if case.marker and any(case.marker in line for line in context.splitlines() if line not in allowed):
        yield "leaked"
    if form == "tool":
        yield "unconfirmed"


def _is_one_element(context: str) -> bool:
    try:
        return list(ET.fromstring(context)) == []  # noqa: S314 - our own output, and its entities are ours
    except ET.ParseError:
        return False
