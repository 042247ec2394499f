"""Key files in base64 without a header: OpenSSH, PKCS#1, PKCS#8, SEC1, PKCS#12, Java key stores."""

from __future__ import annotations

import re
from binascii import a2b_base64

from recollect.redaction.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# How base64 of these files begins: "openssh-key-v1", a DER sequence, the mark of a Java key store.
MARKS = ("b3BlbnNzaC1rZXkt", "MII", "MIG", "MHcC", "MHQC", "MC4C", "MIH", "/u3+7Q")
_LEAST = 48  # characters; the shortest private key has 64
_LONGEST = 40_000  # characters; a key store may hold several chains
_RUN = re.compile(
    r"[A-Za-z0-9+/]++(?:[\"'\\]{0,2}[ \t]{0,4}(?:\\n|\r?\n)[ \t\"']{0,20}[A-Za-z0-9+/]{4,80}+"
    r"(?=={0,2}[\"'\\,;)]{0,3}[ \t]{0,4}(?:n|r|\r|\n|\Z)))*+={0,2}"
)
_PBES = bytes.fromhex("06092a864886f70d0105")  # the identifiers of password-based encryption


def key_files(text: str) -> Iterator[Span]:
    """Each private key or key store that is written in base64 without a header."""
    for mark in MARKS:
        at = text.find(mark)
        while at >= 0:
            end = at + len(mark)
            if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "+/_-"):
                end = _end(text, at)
                if end - at >= _LEAST and _is_private(text[at : at + 64]):
                    yield Span("private key", at, end)
            at = text.find(mark, end)


def _end(text: str, at: int) -> int:
    """Where the base64 ends that begins here, on this line and on lines of nothing else."""
    match = _RUN.match(text, at, min(len(text), at + _LONGEST))
    return match.end() if match else at


def _is_private(start: str) -> bool:
    """Whether base64 that begins like this is a private key: by its first bytes, as DER defines them."""
    if start.startswith(("b3BlbnNzaC1rZXkt", "/u3+7Q")):
        return True
    plain = start[: len(start) - len(start.lstrip(BASE64))]
    head = a2b_base64(plain[: len(plain) // 4 * 4])
    if len(head) < 20 or head[0] != 0x30:
        return False
    body = head[2 + (head[1] & 0x7F if head[1] & 0x80 else 0) :]
    if body[:2] == b"\x02\x01" and body[2] in (
        0,
        1,
        3,
    ):  # a version: certificates and public keys have none
        return body[3] in (0x02, 0x04, 0x30)
    return body[:1] == b"\x30" and body[2:].startswith(_PBES)
