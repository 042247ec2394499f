"""Notes of basic-memory: Markdown with a `permalink`, observations `- [category] text #tag` and relations."""

import re
from collections.abc import Iterator

from recollect.ids import slug
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.notes import note
from recollect.markdown import front_matter
from recollect.markdown.page import lines_outside_code
from recollect.records.categories import Category

_ITEM = re.compile(r"\s*[-*] +(?P<text>\S.*)")
_OBSERVATION = re.compile(r"\[(?P<kind>[^\[\]()]{2,60})\] +(?P<text>\S.*)")
_RELATION = re.compile(r"(?P<type>[^\[\]]{0,60}?) *\[\[(?P<target>[^\[\]]{1,200})\]\].*")
_HASHTAG = re.compile(r"(?<!\S)#([\w-]{1,40})")
_CLOCK = re.compile(r"[\d:., -]+")
_CATEGORIES = {
    **dict.fromkeys(("decision", "choice"), Category.DECISION),
    **dict.fromkeys(("constraint", "requirement", "rule", "policy", "limitation"), Category.CONSTRAINT),
    **dict.fromkeys(("preference", "convention", "style", "guideline"), Category.PREFERENCE),
    **dict.fromkeys(("debt", "tech-debt", "tech_debt", "todo"), Category.TECH_DEBT),
}


def is_note(head: str) -> bool:
    """Whether a file that begins like this is a note of basic-memory."""
    values, _, _ = front_matter.split(head)
    return "permalink" in values


def read(text: str, origin: str) -> Iterator[Incoming | Skipped]:
    """The observations of a note in their order; its relations and prose are named as skipped."""
    values, body, first = front_matter.split(text)
    title = next(iter(values.get("title", ())), "")
    taken: dict[str, int] = {}
    prose = 0
    for number, line in lines_outside_code(body):
        item, where = _ITEM.fullmatch(line), f"{origin}#L{number + first - 1}"
        content = item["text"] if item else ""
        observation = _OBSERVATION.fullmatch(content)
        if observation and not _CLOCK.fullmatch(observation["kind"]):
            tags = values.get("tags", ())
            yield _observation(observation, origin, title, tags, taken)
        elif relation := _RELATION.fullmatch(content):
            yield Skipped(where, f"a relation ({relation['type'] or 'links to'} {relation['target']})")
        elif line.strip() and not line.startswith("#"):
            prose += 1
    if prose:
        lines = "1 line" if prose == 1 else f"{prose} lines"
        yield Skipped(origin, f"{lines} outside observations; only observations are imported")


def _observation(
    match: re.Match[str], origin: str, title: str, tags: tuple[str, ...], taken: dict[str, int]
) -> Incoming | Skipped:
    """An observation becomes what its category says, or else what its words say."""
    kind, text = match["kind"].strip().lower(), match["text"].strip()
    own = _HASHTAG.findall(text)
    sentence = _HASHTAG.sub("", text).strip()
    words = slug(" ".join(sentence.split()[:8]), fallback="observation")
    taken[words] = taken.get(words, 0) + 1
    again = f"-{taken[words]}" if taken[words] > 1 else ""
    category = _CATEGORIES.get(kind)
    where = f"{origin}#{slug(kind, fallback='note')}/{words}{again}"
    return note(sentence, where, tags=(*own, *tags), category=category, subject=title[:60])
