"""The parts of an ADR: its sections by the role they play, whatever their headings are called."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from recollect.importing.blocks import Block, ListItem, Paragraph, Verbatim, blocks
from recollect.markdown.lines import Line, Section
from recollect.markdown.plain import plain


class Role(StrEnum):
    """What a section is for. OTHER is known and not needed."""

    STATUS = "status"
    DATE = "date"
    TITLE = "title"
    RELATED = "related"
    OTHER = "other"
    COMPARISON = "comparison"
    OPTIONS = "options"
    RATIONALE = "rationale"
    CONSEQUENCES = "consequences"
    DECISION = "decision"
    CONTEXT = "context"


# Tried in this order against the whole heading, in lower case and without its number.
_HEADINGS: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, re.compile(pattern))
    for role, pattern in (
        (Role.STATUS, r"(?:current |decision )?(?:status|state)"),
        (Role.DATE, r"(?:decision )?date"),
        (Role.TITLE, r"title"),
        (
            Role.RELATED,
            r"links?|references?|related.*|more information|see also|notes?|history|"
            r"super[sc]edes.*|super[sc]eded by.*|replaces.*|replaced by.*",
        ),
        (
            Role.OTHER,
            r"deciders?|decision[ -]makers?|authors?|participants|consulted|informed|stakeholders|"
            r"validation|confirmation|compliance|implementation.*|next steps|change ?log|"
            r"appendix.*|technical story|glossary|table of contents|contents",
        ),
        (Role.COMPARISON, r".*\bpros (?:and|&|/) cons\b.*|comparison.*|evaluation.*"),
        (
            Role.OPTIONS,
            r"(?:considered |possible |available |other |rejected |discarded )?"
            r"(?:options|alternatives?|choices|positions)(?: .*)?|solutions considered",
        ),
        (
            Role.RATIONALE,
            r"rationale.*|(?:decision |key )?drivers?(?: .*)?|justification|reason(?:s|ing)?(?: .*)?|"
            r"arguments?|why\b.*|(?:decision |evaluation )?criteria|driving forces",
        ),
        (
            Role.CONSEQUENCES,
            r"(?:(?:positive|negative|neutral|expected|good|bad) )?"
            r"(?:consequences?|impacts?|implications?|outcomes|effects?|results?)(?: .*)?|"
            r"trade-?offs?(?: .*)?|drawbacks|downsides|benefits|risks?(?: .*)?|resulting context",
        ),
        (
            Role.DECISION,
            r"(?:the |our |final |proposed |architectural )*decisions?"
            r"(?: outcome| made| taken| statement)?(?: and .*)?|outcome|resolution|"
            r"(?:the |our |chosen |proposed |selected )*(?:solution|option|approach|proposal)|"
            r"conclusions?|recommendation|what we (?:decided|chose|will do|are doing).*",
        ),
        (
            Role.CONTEXT,
            r"(?:the )?(?:business |technical )?context.*|background.*|(?:the )?problem.*|"
            r"motivation.*|issues?|(?:current )?situation|introduction|overview|summary|forces|"
            r"description|user story|assumptions|requirements|goals?.*|scope",
        ),
    )
)
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.):]?\s+")
_LABEL = re.compile(r"\s*(?:\*\*|__)([^*_:]{3,60}):?(?:\*\*|__)\s*:?[ \t]*")
_PLAIN_LABEL = re.compile(
    r"(context|problem|decision|rationale|consequences|alternatives):[ \t]+", re.I
)
_BARE_ROLES = frozenset({"status", "context", "decision", "consequences", "problem", "background"})
_LABEL_LEVEL = 7  # deeper than any heading
# Sections whose inner headings name options; "Event-driven approach" there is no decision.
_LISTS_OPTIONS = (Role.OPTIONS, Role.COMPARISON)


@dataclass(frozen=True, slots=True)
class AdrSection:
    """A section with the sections inside it that have no role of their own."""

    role: Role
    sections: tuple[Section, ...]

    @property
    def heading(self) -> str:
        return tidy(self.sections[0].title)

    @property
    def text(self) -> str:
        """Everything in it as it was written, inner headings included."""
        first, *inner = self.sections
        below = [f"{_shown_title(part)}{part.body.strip()}" for part in inner]
        return "\n\n".join(text.strip() for text in [first.body, *below] if text.strip())


@dataclass(frozen=True, slots=True)
class AdrSections:
    """An ADR cut up: its title, what stands in no part, and its parts in order."""

    title: str
    preamble: tuple[Line, ...]  # before the first part
    loose: tuple[Line, ...]  # under headings that announce no part
    parts: tuple[AdrSection, ...]

    def of(self, *roles: Role) -> list[AdrSection]:
        return [part for part in self.parts if part.role in roles]

    def text(self, role: Role) -> str:
        return "\n\n".join(part.text for part in self.of(role) if part.text)


def _shown_title(section: Section) -> str:
    if section.level == _LABEL_LEVEL:
        return f"**{section.title}:** "
    return f"{'#' * section.level} {section.title}\n\n"


def tidy(heading: str) -> str:
    """A heading in lower case, without number, emphasis and what hangs on at its ends."""
    text = re.sub(r"^[^\w]+|[^\w)]+$", "", plain(heading).lower())
    return _NUMBERED.sub("", text, count=1)


def role_of(heading: str) -> Role | None:
    """The role that a heading announces."""
    text = tidy(heading)
    return next((role for role, pattern in _HEADINGS if pattern.fullmatch(text)), None)


def parts(found: Sequence[Section]) -> AdrSections:
    """Cut an ADR up by the roles of its headings. Bold labels count as headings."""
    title = _title_section(found)
    preamble, loose = list[Line](), list[Line]()
    made: list[tuple[Role, list[Section]]] = []
    around: list[tuple[int, int]] = []  # level and number of the parts that a section may be inside
    for section in chain.from_iterable(map(_labelled, found)):
        while around and around[-1][0] >= section.level:
            around.pop()  # labels of one section stand side by side, as headings do
        within = made[around[-1][1]] if around else None
        role = None if section.line == title.line else _role_inside(section, within)
        if role is not None:
            around.append((section.level, len(made)))
            made.append((role, [section]))
        elif within is not None:
            within[1].append(section)
        else:
            (loose if made else preamble).extend(section.lines)
    whole = tuple(AdrSection(role, tuple(some)) for role, some in made)
    return AdrSections(title.title, tuple(preamble), tuple(loose), whole)


def _role_inside(section: Section, within: tuple[Role, list[Section]] | None) -> Role | None:
    """The role of a section, given the part around it, in which fewer words announce another."""
    role = role_of(section.title)
    if within is None:
        return role
    if section.level == _LABEL_LEVEL:
        return role if role in (Role.RATIONALE, Role.CONSEQUENCES) else None
    return None if within[0] in _LISTS_OPTIONS else role


def _title_section(found: Sequence[Section]) -> Section:
    """The one heading of the first level, else one above the first part."""
    firsts = [section for section in found if section.level == 1]
    if len(firsts) == 1 and tidy(firsts[0].title) not in _BARE_ROLES:
        return firsts[0]
    first = next((section for section in found if section.level), None)
    return first if first and role_of(first.title) is None else Section(0, "", 0, ())


def _labelled(section: Section) -> Iterator[Section]:
    """A section, cut once more where a line begins with a label such as **Context:**."""
    level, title, start, body = section.level, section.title, section.line, list[Line]()
    for line in section.lines:
        label = None if line.code else (_LABEL.match(line.text) or _PLAIN_LABEL.match(line.text))
        role = role_of(label.group(1)) if label else None
        if label and role not in (None, Role.STATUS, Role.DATE, Role.RELATED, Role.OTHER, Role.TITLE):
            yield Section(level, title, start, tuple(body))
            rest = Line(line.number, line.text[label.end() :])
            level, title, start, body = _LABEL_LEVEL, label.group(1), line.number, [rest]
        else:
            body.append(line)
    yield Section(level, title, start, tuple(body))


def passages(part: AdrSection) -> list[str]:
    """What a part says, item by item and paragraph by paragraph; code and tables left out."""
    found: list[str] = []
    for position, section in enumerate(part.sections):
        label = plain(section.title) if position else _signed(part.heading)
        for block in blocks(section.lines):
            match block:
                case Paragraph(text) if text.endswith(":"):
                    label = plain(text).rstrip(":") if len(text.split()) <= 3 else ""
                case Paragraph(text):
                    found.append(plain(text))
                case ListItem():
                    found.append(_prefixed(label, joined(block)))
                case Verbatim():
                    pass
    return [passage for passage in found if passage]


def _signed(heading: str) -> str:
    """`Negative` of "Negative consequences": what the items below would lose without it."""
    word = heading.split(" ", maxsplit=1)[0]
    return word.capitalize() if word in ("positive", "negative", "neutral", "good", "bad") else ""


def _prefixed(label: str, text: str) -> str:
    return f"{label}: {text}" if label and text else text


def joined(item: ListItem) -> str:
    """An item and the items inside it in one line."""
    head = plain(item.text)
    inner = "; ".join(filter(None, (plain(text) for text in item.nested)))
    if not inner:
        return head
    return f"{head} {inner}" if head.endswith(":") else f"{head}: {inner}" if head else inner


def blocks_of(found: Iterable[AdrSection]) -> list[Block]:
    """The blocks of several parts in their order."""
    return [block for part in found for section in part.sections for block in blocks(section.lines)]


def by_option(part: AdrSection) -> Mapping[str, Sequence[Line]]:
    """The lines under each inner heading of a part that lists options, deeper headings among them."""
    inner = part.sections[1:]
    top = min((section.level for section in inner), default=0)
    found: dict[str, list[Line]] = {}
    lines: list[Line] = []
    for section in inner:
        if section.level == top:
            lines = found.setdefault(plain(section.title), [])
        else:
            lines += [Line(section.line, f"{plain(section.title)}:"), Line(section.line, "")]
        lines += section.lines
    return found
