"""The parts of a sentence: what it says, the reason it gives, and the condition it begins with. Pure."""

import re
from dataclasses import dataclass

_LEAD = re.compile(
    r"(?:please[,:]?\s+)?(?:(?:remember|note|keep in mind|bear in mind|don['\u2019]t forget|do not forget"
    r"|for the record|fyi)(?:\s+that\b|\s*[:,-])?\s+|please\s+|[-*\u2022]\s+)",
    re.I,
)
_REASON = re.compile(
    r"(?:[,;:\u2013\u2014-]\s*|\s)\b(?:because(?:\s+of)?|since(?!\s+(?:\d|last|then|v\d))|so\s+that"
    r"|as\s+(?=(?:our|we|it|they|this|that|the)\s+\w+\s)|due\s+to|(?=(?:in\s+order\s+)?to\s+(?:get|avoid|prevent"
    r"|allow|let|save|reduce|make|simplify)\b))\s*",
    re.I,
)
_AFTER_CHOICE = re.compile(  # "We decided against GraphQL: two clients do not justify it"
    r"\b(?:decided|chose|picked|opted|settled|went\s+with|moved|switched|dropped|rejected)\b[^:]*(?P<colon>:\s+)",
    re.I,
)
_CONDITION = re.compile(
    r"(?P<cue>if|when|whenever|in\s+case|once|after|before|to)\s+(?P<condition>[^,;]{3,200}?)[,;]\s+"
    r"(?:then\s+)?(?P<rest>\S.*)",
    re.I | re.S,
)
_CODE = re.compile(r"`[^`]*`")
_STEP = re.compile(r"[,;]?\s+(?:and\s+then|then)\s+|[,;]\s+(?:and\s+)?|\s+and\s+(?=[a-z`]+\s)", re.I)


@dataclass(frozen=True, slots=True)
class Clauses:
    """A sentence and its parts. `statement` is the sentence without the reason; parts may be empty.

    `cue` is the word that introduces the condition, `rest` what follows it.
    """

    text: str
    statement: str
    reason: str
    cue: str = ""
    condition: str = ""
    rest: str = ""


def tidy(text: str) -> str:
    """A sentence on one line, without a lead such as "remember that"."""
    line = " ".join(text.split())
    lead = _LEAD.match(line)
    return line[lead.end() :] if lead and lead.end() < len(line) else line


def clauses(text: str) -> Clauses:
    """Split a sentence. Words inside of code are never taken for the start of a clause."""
    line = tidy(text)
    hidden = masked(line)
    opening = _CONDITION.match(hidden)
    begin = opening.start("rest") if opening else 0
    end, start = _reason_span(hidden, begin)
    return Clauses(
        line,
        trimmed(line[:end]),
        trimmed(line[start:]),
        opening["cue"].lower() if opening else "",
        trimmed(line[opening.start("condition") : opening.end("condition")]) if opening else "",
        trimmed(line[begin:end]) if opening else "",
    )


def _reason_span(hidden: str, begin: int) -> tuple[int, int]:
    """Where the statement ends and where the reason begins: both at the end when no reason is given.

    A reason leaves a statement of two words or more before it, and has as many.
    """
    spans = [match.span() for match in _REASON.finditer(hidden, begin)]
    if choice := _AFTER_CHOICE.search(hidden, begin):
        spans.append(choice.span("colon"))
    for end, start in spans:
        if len(hidden[begin:end].split()) >= 2 and len(hidden[start:].split()) >= 2:
            return end, start
    return len(hidden), len(hidden)


def masked(line: str) -> str:
    """The line with its code made of neutral letters of the same length."""
    return _CODE.sub(lambda code: "x" * len(code[0]), line)


def trimmed(part: str) -> str:
    """A part without the marks that separated it from the others."""
    return part.strip().strip(",;:\u2013\u2014").strip().rstrip(".").strip()


def steps(part: str) -> list[str]:
    """The steps of an instruction, in their order."""
    hidden, pieces, start = masked(part), list[str](), 0
    for match in _STEP.finditer(hidden):
        pieces.append(part[start : match.start()])
        start = match.end()
    pieces.append(part[start:])
    return [step for piece in pieces if (step := trimmed(piece))]
