"""Rules that people write for agents (CLAUDE.md, AGENTS.md, .cursorrules): preferences and constraints.

A list item is a rule unless it only describes something; a sentence of prose is one when its words say
so. Binding rules (must, never, do not) become constraints, the others preferences.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.ids import slug
from recollect.importing.incoming import Incoming, Skipped, source
from recollect.markdown import page
from recollect.markdown.page import CodeBlock, ListItem, Paragraph, Section, Table
from recollect.markdown.plain import cut, plain, sentences
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import TITLE_LENGTH

_GRAVE = re.compile(r"\b(?:never|must(?! have)|shall not)\b", re.IGNORECASE)
_BINDS = re.compile(
    r"\b(?:never|must|shall|(?:do not|don['\u2019]t)(?! (?:need|have|worry|hesitate))|forbidden|"
    r"prohibited|mandatory|not (?:allowed|permitted)|may not|(?:is|are|be) required|required to)\b|"
    r"^required\b",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"\b(?:always|avoid|prefer|should|ensure|make sure|be sure to|only use|instead of)\b", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"(?:please )?(?:add|ask|avoid|build|call|check|commit|create|define|delete|document|do|ensure|fix|"
    r"follow|format|give|group|handle|import|include|keep|let|limit|log|make|name|never|only|pass|pin|"
    r"place|prefer|put|read|remove|rename|reuse|return|run|separate|set|sort|split|squash|stick|store|"
    r"test|treat|try|update|use|validate|verify|wrap|write)\b(?! to\b)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:never|always|do not|don['\u2019]t|must|avoid|prefer|use)\b", re.IGNORECASE)
_STRONG = re.compile(r"\b(?:always|strictly|only|every|all)\b", re.IGNORECASE)
_SOFT = re.compile(
    r"\b(?:consider|ideally|when(?:ever)? possible|if possible|optionally|nice to have|try to|may)\b",
    re.IGNORECASE,
)
# Headings whose lists describe the project and contain no rules.
_DESCRIBES = re.compile(
    r"\b(?:structure|layout|overview|commands?|scripts?|architecture|stack|about|links?|resources|references?|"
    r"glossary|director(?:y|ies)|folders?|files|contents|introduction|technolog(?:y|ies)|dependencies|background)\b",
    re.IGNORECASE,
)
# Headings that negate the items below them: "Don't" > "commit secrets".
_NEGATES = re.compile(
    r"\b(?:do not|don['\u2019]?ts?|never|avoid|forbidden|prohibited|anti-?patterns?|"
    r"must(?: not)?|required)\b",
    re.I,
)
_NAMED_CODE = re.compile(r"`[^`]+`\s*(?:[-\u2013\u2014:(\u2192=]|$)|\*\*`[^`]+`\*\*")
_ONLY_LINKS = re.compile(
    r"(?:\W{0,9}!?\[[^\[\]]*\]\([^()]*\)\W{0,9}(?:[-\u2013\u2014:].*)?|<?https?://\S+>?)", re.DOTALL
)
_PATH_ENTRY = re.compile(r"(?:[\w.@-]+/)+[\w.*-]*\s*(?:[-\u2013\u2014:#]|$)|[├└│]")
_SHELL = re.compile(
    r"\$ |`[^`]+`$|(?:npm|npx|pnpm|yarn|make|cargo|go|git|docker|pip|uv|python3?)(?: [\w:./=-]+){1,3}$"
)
_IMPORT = re.compile(r"@[\w~./-]+$")


@dataclass(frozen=True, slots=True)
class _Rule:
    topic: str
    value: str
    title: str  # the text that the title is made of
    line: int
    heading: str  # "" above the first heading


def read(text: str, origin: str) -> Iterator[Incoming | Skipped]:
    """The rules of a file in their order, and its other parts as skipped."""
    if not text.strip():
        yield Skipped(origin, "an empty file")
        return
    file, taken = posixpath.basename(origin), dict[str, int]()
    parsed = page.read(text)
    if parsed.first > 1:
        head = "\n".join(text.split("\n")[: parsed.first - 1])
        yield Skipped(origin, "front matter, which is for the tool that reads the file", head)
    for section in parsed.sections:
        for rule in _section_rules(section, origin, file):
            if isinstance(rule, Skipped):
                yield rule
            else:
                yield _incoming(rule, origin, file, _fragment(rule, taken))


def _fragment(rule: _Rule, taken: dict[str, int]) -> str:
    """A name for a rule that survives rewording its end, and adding or removing other rules."""
    words = " ".join(plain(rule.value.partition("\n")[0]).split()[:6])
    name = f"{slug(rule.heading, fallback='top')}/{slug(words, fallback='rule')}"
    number, free = taken.get(name, 0) + 1, name
    while number > 1 and (free := f"{name}-{number}") in taken:
        number += 1
    taken[name] = number
    taken.setdefault(free, 1)
    return free


def _section_rules(section: Section, origin: str, file: str) -> Iterator[_Rule | Skipped]:
    heading = plain(section.title)
    topic = heading or file
    negation = heading if _NEGATES.search(heading) else ""
    describes = bool(_DESCRIBES.search(heading))
    blocks = section.blocks()
    source = section.text.split("\n")
    ends = [block.line - section.first for block in blocks[1:]] + [len(source)]
    lead = _Lead()
    for block, end in zip(blocks, ends, strict=False):
        where = _at(origin, block.line)
        whole = "\n".join(source[block.line - section.first : end]).strip()
        if not isinstance(block, ListItem):
            yield from lead.unused(origin)
            lead = _Lead()
        match block:
            case CodeBlock():
                yield Skipped(where, "a code block", whole)
            case Table():
                yield Skipped(where, "a table", whole)
            case Paragraph(text, line) if _introduces(text):
                lead = _Lead(text, line)
            case Paragraph(text, line):
                yield from _prose(text, line, topic, heading, origin)
            case ListItem(text, line, nested):
                described = describes and not lead.text
                if _introduces(text) and not nested:
                    yield Skipped(where, "introduces what follows, not a rule", whole)
                elif reason := _skip_reason(text, describes=described):
                    yield Skipped(where, reason, whole)
                elif value := _value(block, lead.text or negation):
                    lead.is_used = True
                    binding = lead.text if _NEGATES.search(lead.text) else negation
                    yield _Rule(topic, value, _title(text or value, binding), line, heading)
    yield from lead.unused(origin)
    if heading and not blocks:
        yield Skipped(_at(origin, section.line), "a heading without rules", heading)


@dataclass(slots=True)
class _Lead:
    """A paragraph that introduces a list: "In the tests folder:"."""

    text: str = ""
    line: int = 0
    is_used: bool = False

    def unused(self, origin: str) -> Iterator[Skipped]:
        """The paragraph as skipped, if no rule below it has its text."""
        if self.text and not self.is_used:
            yield Skipped(_at(origin, self.line), "introduces what follows, not a rule", self.text)


def _introduces(text: str) -> bool:
    return text.rstrip("*_ ").endswith(":")


def _title(text: str, negation: str) -> str:
    """What a rule says, without its lead-in, unless that negates it: "Don't: commit secrets"."""
    return f"{plain(negation).rstrip(': ')}: {text}" if negation else text


def _at(origin: str, line: int) -> str:
    return f"{origin}#L{line}"


def _value(item: ListItem, lead: str) -> str:
    """The full text of a rule: its lead-in, the item, and the items inside it."""
    head = item.text.strip()
    introduced = (
        f"{lead.strip().rstrip('*_: ').lstrip('*_ ')}: {head}" if lead and head else head or lead
    )
    return "\n".join([introduced, *(f"- {text}" for text in item.nested if text)]).strip()


def _skip_reason(text: str, *, describes: bool) -> str | None:
    """Why a list item is not a rule; None when it is one."""
    text = text.strip()
    if _IMPORT.match(text):
        return "an import of another file; import that file by its own path"
    if _ONLY_LINKS.fullmatch(text):
        return "a link, not a rule"
    if _PATH_ENTRY.match(text):
        return "names a path, not a rule"
    if _is_rule(text):
        return None
    if _SHELL.match(text):
        return "a command, not a rule"
    if _NAMED_CODE.match(text):
        return "says what a command or a file is, not a rule"
    return "describes something, not a rule" if describes else None


def _is_rule(text: str) -> bool:
    """Whether the words of a text say that it is a rule. Words in code do not count."""
    words = plain(re.sub(r"`[^`]*`", "x", text))
    return bool(_BINDS.search(words) or _MARKED.search(words) or _IMPERATIVE.match(words))


def _prose(text: str, line: int, topic: str, heading: str, origin: str) -> Iterator[_Rule | Skipped]:
    if all(_IMPORT.match(word) for word in text.split()):
        reason = "an import of another file; import that file by its own path"
        yield Skipped(_at(origin, line), reason, text)
        return
    if _ONLY_LINKS.fullmatch(text):
        yield Skipped(_at(origin, line), "a link, not a rule", text)
        return
    others: list[str] = []
    for sentence in [sentence for part in _split_lines(text) for sentence in sentences(part)]:
        if _is_rule(sentence):
            yield _Rule(topic, sentence, sentence, line, heading)
        else:
            others.append(sentence)
    if others:
        yield Skipped(_at(origin, line), "prose, not a rule", " ".join(others))


def _split_lines(text: str) -> list[str]:
    """Running text, split where a line begins a rule although the previous one has no full stop."""
    parts: list[str] = []
    for line in text.split("\n"):
        if parts and not (line[:1].isupper() and _BEGINS.match(line)):
            parts[-1] += f" {line}"
        else:
            parts.append(line)
    return parts


def _incoming(rule: _Rule, origin: str, file: str, fragment: str) -> Incoming:
    where = f"{origin}#{fragment}"
    place = f'"{rule.heading}" in {file}' if rule.heading else f"the top of {file}"
    words = plain(re.sub(r"`[^`]*`", "x", rule.value))
    binds = bool(_BINDS.search(words))
    content = _constraint(rule, words, place) if binds else _preference(rule, words, place)
    title = next(iter(sentences(plain(rule.title.partition("\n")[0]))), rule.title)
    document: JsonObject = {
        "category": "constraint" if binds else "preference",
        "title": cut(" ".join(title.split()).rstrip(" :"), TITLE_LENGTH)
        or cut(rule.topic, TITLE_LENGTH),
        "tags": list[Json](_tags(rule.heading)),
        "source": source(where, f"{rule.topic}\n{rule.value}"),
        "content": content,
    }
    return Incoming(where, Draft(document))


def _constraint(rule: _Rule, words: str, place: str) -> JsonObject:
    return {
        "kind": "policy",
        "rule": rule.value,
        "impact": [_stated(rule, place)],
        "severity": "high" if _GRAVE.search(words) else "medium",
        "active": True,
    }


def _preference(rule: _Rule, words: str, place: str) -> JsonObject:
    strength = "soft" if _SOFT.search(words) else "strong" if _STRONG.search(words) else "default"
    return {
        "topic": rule.topic,
        "value": rule.value,
        "reason": _stated(rule, place),
        "strength": strength,
    }


def _stated(rule: _Rule, place: str) -> str:
    """Where a rule stands: the file names neither an impact nor a reason, and none is made up."""
    return f"Stated under {place}." if rule.heading else f"Stated at {place}."


def _tags(heading: str) -> list[str]:
    words = re.findall(r"\w[\w.+#-]*\w", heading.lower())
    subjects = [
        word for word in words if word not in ("and", "the", "for", "with", "rules", "of", "to")
    ]
    return list(dict.fromkeys([*subjects[:4], "rules"]))
