"""The sections of an ADR by their role, whatever their headings are called."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from recollect.markdown.page import Block, ListItem, Paragraph, Section, lines_outside_code
from recollect.markdown.plain import plain


class Role(StrEnum):
    """What a section is about. OTHER is recognised and not imported."""

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
_LABEL_ROLES = frozenset(
    {
        Role.COMPARISON,
        Role.OPTIONS,
        Role.RATIONALE,
        Role.CONSEQUENCES,
        Role.DECISION,
        Role.CONTEXT,
    }
)
# Sections whose inner headings name options; "Event-driven approach" there is no decision.
_LISTS_OPTIONS = (Role.OPTIONS, Role.COMPARISON)


@dataclass(slots=True)
class AdrSection:
    """A section with the sections inside it that have no role of their own."""

    role: Role
    sections: list[Section]

    @property
    def heading(self) -> str:
        return normal_heading(self.sections[0].title)

    @property
    def text(self) -> str:
        """The Markdown of the section, inner headings included."""
        first, *inner = self.sections
        below = [f"{_heading_source(section)}{section.body.strip()}" for section in inner]
        return "\n\n".join(text.strip() for text in [first.body, *below] if text.strip())


@dataclass(slots=True)
class AdrSections:
    """An ADR by sections: its title, its sections in order, and the text outside of them."""

    title: str
    sections: list[AdrSection] = field(default_factory=list)
    preamble: list[str] = field(default_factory=list)  # before the first section with a role
    loose: list[str] = field(default_factory=list)  # under headings without a role
    unclassified: list[Section] = field(default_factory=list)  # the same with their headings

    def of(self, *roles: Role) -> list[AdrSection]:
        return [section for section in self.sections if section.role in roles]

    def text(self, role: Role) -> str:
        return "\n\n".join(section.text for section in self.of(role) if section.text)


def _heading_source(section: Section) -> str:
    if section.level == _LABEL_LEVEL:
        return f"**{section.title}:** "
    return f"{'#' * section.level} {section.title}\n\n"


def normal_heading(heading: str) -> str:
    """A heading in lower case, without its number, emphasis and punctuation at its ends."""
    text = re.sub(r"^[^\w]+|[^\w)]+$", "", plain(heading).lower())
    return _NUMBERED.sub("", text, count=1)


def role_of(heading: str) -> Role | None:
    """The role that a heading announces."""
    text = normal_heading(heading)
    return next((role for role, pattern in _HEADINGS if pattern.fullmatch(text)), None)


def by_role(sections: Sequence[Section]) -> AdrSections:
    """Group the sections of a page by the roles of their headings. Bold labels count as headings."""
    title = _title_section(sections)
    adr = AdrSections(title.title if title else "")
    enclosing: list[tuple[int, AdrSection]] = []  # with their levels, the innermost last
    for section in chain.from_iterable(map(_labelled, sections)):
        while enclosing and enclosing[-1][0] >= section.level:
            enclosing.pop()  # labels of one section are siblings, as headings are
        around = enclosing[-1][1] if enclosing else None
        is_title = title is not None and section.line == title.line
        role = None if is_title else _role_inside(section, around)
        if role is not None:
            adr.sections.append(AdrSection(role, [section]))
            enclosing.append((section.level, adr.sections[-1]))
        elif around is not None:
            around.sections.append(section)
        else:
            (adr.loose if adr.sections else adr.preamble).append(section.text)
            if section.level and not is_title:
                adr.unclassified.append(section)
    return adr


def _role_inside(section: Section, around: AdrSection | None) -> Role | None:
    """The role of a section; inside of another section fewer words announce one."""
    role = role_of(section.title)
    if around is None:
        return role
    if section.level == _LABEL_LEVEL:
        return role if role in (Role.RATIONALE, Role.CONSEQUENCES) else None
    return None if around.role in _LISTS_OPTIONS else role


def _title_section(sections: Sequence[Section]) -> Section | None:
    """The only heading of the first level, else the first heading if it has no role."""
    top = [section for section in sections if section.level == 1]
    if len(top) == 1 and normal_heading(top[0].title) not in _BARE_ROLES:
        return top[0]
    first = next((section for section in sections if section.level), None)
    return first if first and role_of(first.title) is None else None


def _labelled(section: Section) -> Iterator[Section]:
    """A section, split where a line begins with a label such as **Context:**."""
    lines = section.text.split("\n")
    level, title, line, start = section.level, section.title, section.line, 0
    for number, text in lines_outside_code(section.text):
        label = _LABEL.match(text) or _PLAIN_LABEL.match(text)
        if label and role_of(label.group(1)) in _LABEL_ROLES:
            yield Section(level, title, line, "\n".join(lines[start:number]), section.first + start)
            level, title, line, start = _LABEL_LEVEL, label.group(1), section.first + number, number
            lines[number] = text[label.end() :]
    yield Section(level, title, line, "\n".join(lines[start:]), section.first + start)


def passages(adr_section: AdrSection) -> list[str]:
    """What a section says, item by item and paragraph by paragraph, without code and tables."""
    texts: list[str] = []
    for position, section in enumerate(adr_section.sections):
        label = plain(section.title) if position else _signed(adr_section.heading)
        for block in section.blocks():
            match block:
                case Paragraph(text) if text.endswith(":"):
                    label = plain(text).rstrip(":") if len(text.split()) <= 3 else ""
                case Paragraph(text):
                    texts.append(plain(text))
                case ListItem():
                    texts.append(_prefixed(label, one_line(block)))
    return [text for text in texts if text]


def _signed(heading: str) -> str:
    """`Negative` of "Negative consequences", which the items below do not repeat."""
    word = heading.split(" ", maxsplit=1)[0]
    return word.capitalize() if word in ("positive", "negative", "neutral", "good", "bad") else ""


def _prefixed(label: str, text: str) -> str:
    return f"{label}: {text}" if label and text else text


def one_line(item: ListItem) -> str:
    """An item and the items inside it in one line."""
    head = plain(item.text)
    inner = "; ".join(filter(None, (plain(text) for text in item.nested)))
    if not inner:
        return head
    return f"{head} {inner}" if head.endswith(":") else f"{head}: {inner}" if head else inner


def blocks_of(sections: Iterable[AdrSection]) -> list[Block]:
    """The blocks of several sections in their order."""
    return [block for part in sections for section in part.sections for block in section.blocks()]


def by_option(adr_section: AdrSection) -> Mapping[str, str]:
    """The text under each inner heading of a section that lists options, deeper headings included."""
    inner = adr_section.sections[1:]
    top = min((section.level for section in inner), default=0)
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for section in inner:
        if section.level == top:
            current = texts.setdefault(plain(section.title), [])
        else:
            current.append(f"{plain(section.title)}:\n")
        current.append(section.text)
    return {name: "\n".join(parts) for name, parts in texts.items()}
