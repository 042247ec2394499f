"""Secrets that span lines: PEM and PuTTY keys, keys in JSON, key files, Kubernetes secrets."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64

from recollect.redaction.key_files import BASE64, key_files
from recollect.redaction.kubernetes import kubernetes_secrets
from recollect.redaction.spans import Span
from recollect.redaction.value_check import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.redaction.spans import ScannedText

_BASE64 = frozenset(f"{BASE64}=")
_AROUND = " \t\r\"'`,;+\\|>#*&.()"  # what code and quoting put around a line of a key
_LEAST = 16  # characters of a key; fewer are prose about its header
_LONGEST = 16_000  # characters; a key of 8192 bits has half of that
_PEM_BASE64 = "LS0tLS1CRUdJTi"  # "-----BEGIN" in base64

JWK = r"\"(?:d|p|q|dp|dq|qi|k)\"[ \t]{0,4}:[ \t\r\n]{0,20}\"(?P<secret>[\w-]{20,2000})\""
PATTERNS = (JWK,)


def key_blocks(source: ScannedText) -> Iterator[Span]:
    """Each key that spans lines."""
    text = source.text
    if "PRIVATE KEY" in text:
        yield from _pem(text)
    if _PEM_BASE64 in text:
        yield from _encoded_pem(text)
    if "Private-Lines:" in text:
        yield from _putty(text)
    if '"kty"' in text:
        for match in re.compile(JWK).finditer(text):
            yield Span("private key", *match.span("secret"))
    if "kind" in text and "ecret" in text:
        yield from kubernetes_secrets(text)
    yield from key_files(text)


def _pem(text: str) -> Iterator[Span]:
    """Whole blocks; one without its end goes as far as it looks like key material."""
    at, after = text.find("PRIVATE KEY"), 0
    while at >= 0:
        bounds = _block(text, at) or _tail(text, at, after)
        if bounds is not None:
            yield Span("private key", *bounds)
            after = bounds[1]
        at = text.find("PRIVATE KEY", max(at + 1, after))


def _block(text: str, at: int) -> tuple[int, int] | None:
    """The block whose first line has its label at `at`."""
    begin = text.rfind("BEGIN", max(0, at - 40), at)
    head = text.find("--", at, at + 24)
    if begin < 0 or head < 0 or "\n" in text[begin:head]:
        return None
    start, body = begin, head
    while start > 0 and begin - start < 6 and text[start - 1] in "- ":
        start -= 1
    while body < len(text) and text[body] == "-":
        body += 1
    end = _end_of_key(text, body)
    return (start, end) if end > body else None


def _tail(text: str, at: int, after: int) -> tuple[int, int] | None:
    """What is left of a block whose beginning was cut off: the lines before its last one."""
    label = text.rfind("END", max(after, at - 40), at)
    if label < 0:
        return None
    while label > after and text[label - 1] in "- ":
        label -= 1
    start, material = label, 0
    while start > max(after, label - _LONGEST):
        line = _line_before(text, after, start)
        bare = text[line:start].removesuffix("\\n").strip(_AROUND + "\n")
        if not bare or not _BASE64.issuperset(bare):
            break
        start, material = line, material + len(bare)
    return (start, label) if material >= _LEAST else None


def _line_before(text: str, after: int, end: int) -> int:
    """Where the line begins that ends at `end`, its line feed included. Always before `end`."""
    plain = text.rfind("\n", after, end - 1)
    written = text.rfind("\\n", after, end - 2)
    return max(after, plain + 1 if plain >= 0 else 0, written + 2 if written >= 0 else 0)


def _end_of_key(text: str, body: int) -> int:
    """Where the material that begins at `body` ends, its END line included; `body` when there is none."""
    position, last, material = body, body, 0
    while position < len(text):
        line, following = _line(text, position)
        bare = line.strip(_AROUND)
        if "-END" in line or bare.startswith(("-END", "END ")):
            tail = line.rfind("--")
            if material >= _LEAST:
                return position + (tail + 2 if tail >= 0 and "PRIVATE" in line else len(line))
            return body
        if bare and not (_BASE64.issuperset(bare) or _is_header(bare)):
            break
        if bare:
            material += len(bare)
            last = position + line.rfind(bare) + len(bare)
        position = following
    return last if material >= _LEAST else body


def _line(text: str, position: int) -> tuple[str, int]:
    """A line of a key and where the next begins; a line feed written as an escape ends one too."""
    plain = text.find("\n", position, position + 4000)
    plain = plain if plain >= 0 else min(len(text), position + 4000)
    written = text.find("\\n", position, plain)
    if written >= 0:
        return text[position:written].removesuffix("\\r"), written + 2
    return text[position:plain], plain + 1


_HEADERS = word_set("Proc-Type DEK-Info Comment Version Charset Hash MessageID")


def _is_header(line: str) -> bool:
    """`Proc-Type: 4,ENCRYPTED` and its like."""
    name, colon, _ = line.partition(": ")
    return bool(colon) and name in _HEADERS


def _encoded_pem(text: str) -> Iterator[Span]:
    at = text.find(_PEM_BASE64)
    while at >= 0:
        end = at
        while end < len(text) and text[end] in _BASE64:
            end += 1
        try:
            head = a2b_base64(text[at : min(end, at + 64)])  # what follows may be any letter
        except Error:
            head = b"PRIVATE KEY"  # cut short: better taken out than kept
        if b"PRIVATE KEY" in head and end - at >= 2 * _LEAST:
            yield Span("private key", at, end)
        at = text.find(_PEM_BASE64, end)


def _putty(text: str) -> Iterator[Span]:
    at = text.find("Private-Lines:")
    while at >= 0:
        start = text.find("\n", at) + 1
        end = _end_of_key(text, start) if start else start
        if end > start:
            yield Span("private key", start, end)
        at = text.find("Private-Lines:", max(end, at + 1))
