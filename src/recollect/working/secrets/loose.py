"""Tokens that stand alone: judged by their shape and by the words before them, never by entropy alone."""

from __future__ import annotations

from recollect.working.secrets.family import compiled, has_digit
from recollect.working.secrets.judging import (
    entropy,
    is_counting,
    is_digest,
    is_hex,
    is_identifier,
    is_placeholder,
    is_random,
    is_uuid,
    listed,
    mixes,
    wordiness,
)
from recollect.working.secrets.names import NOTHING, provider_in, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = r"(?<![\w+/=.~%-])[A-Za-z0-9][\w+/.~-]{17,4000}={0,2}"
PATTERNS = (TOKEN,)
_WINDOW = 60  # characters before a token that may say what it is
_SAYING = ("key", "token", "secret", "passw", "credential", "auth", "bearer", "pwd", "login", "cookie")
_DENYING = (
    *("sha", "hash", "digest", "integrity", "checksum", "commit", "blob", "tree", "etag", "nonce"),
    *("base64,", "fingerprint", "pub", "sourcemap", "signature", "certificate", "rev", "uuid", "cache"),
)
_LEAST_BODY = 20  # of a token with a prefix; keys that are issued are longer
_ENDINGS = listed(
    "png jpg jpeg gif svg webp ico css js mjs ts tsx jsx py rb go rs java kt c h cpp hpp md txt html htm",
    "json yaml yml toml lock xml pdf zip gz tgz tar whl map woff woff2 ttf mp4 mp3 wav csv log sql sh",
)


def may_hold(tokens: list[str], low: str) -> bool:
    """Whether a token is worth a look: of all kinds of characters, or hexadecimal and spoken of."""
    spoken = any(word in low for word in _SAYING)
    return any(
        has_digit(token) and (mixes(token) == 3 or (spoken and is_hex(token))) for token in tokens
    )


def loose(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of tokens that look issued, or drawn by lot where a secret is spoken of."""
    for found in compiled(TOKEN).finditer(text):
        start, end = found.span()
        token = found[0].rstrip(".-/")
        if not has_digit(token) or is_uuid(token) or is_digest(token):
            continue
        if _is_part_of_more(text, start, end, token):
            continue
        if _has_shape(token) or _looks_issued(token) or _is_spoken_of(text, start, token):
            yield "high-entropy token", start, start + len(token)


def _is_part_of_more(text: str, start: int, end: int, token: str) -> bool:
    """Whether it is a piece of an address or a path, or of something in another alphabet."""
    before = text[max(0, start - 2) : start]
    if before[-1:] in ("/", "\\", "@", "#", "&", "?") or text[end : end + 1] in ("@", "/", "\\"):
        return True
    if "://" in token or token.rpartition(".")[2].lower() in _ENDINGS:
        return True
    return "/" in token and wordiness(token) > 0.4


def _has_shape(token: str) -> bool:
    """Three parts as no word has them: `id.time.signature` of Discord, `key-id-id` of Mailgun."""
    parts = token.split(".")
    if len(parts) == 3:
        lengths = (
            len(parts[0]) in range(23, 30),
            len(parts[1]) in (6, 7),
            len(parts[2]) in range(27, 46),
        )
        return all(lengths) and is_random(parts[2])
    parts = token.split("-")
    return [len(part) for part in parts] == [32, 8, 8] and all(is_hex(part) for part in parts)


def _looks_issued(token: str) -> bool:
    """`prefix_` or `prefix-`, then a long run drawn by lot from upper case, lower case and digits."""
    if is_identifier(token):
        return False
    for mark in ("_", "-", "."):
        prefix, found, body = token.partition(mark)
        while found and len(prefix) <= 24:
            if prefix and _is_body(body) and prefix.replace("_", "").replace("-", "").isalnum():
                return True
            more, found, body = body.partition(mark)
            prefix = f"{prefix}{mark}{more}"
    return False


def _is_body(body: str) -> bool:
    run = body.rstrip("=")
    if len(run) < _LEAST_BODY or mixes(run) < 3 or is_counting(run) or is_placeholder(run):
        return False
    if not all(one.isalnum() or one in "_-" for one in run):
        return False
    return is_random(run) and entropy(run) >= 3.6 and wordiness(run) < 0.4


def _last_name(text: str, start: int) -> str:
    """The name that stands before a sign and a token."""
    before = text[max(0, start - _WINDOW) : start].rstrip(" \"'`:=")
    return before.split()[-1].strip("\"'`{([,;-") if before else ""


def _is_spoken_of(text: str, start: int, token: str) -> bool:
    line = text.rfind("\n", max(0, start - _WINDOW), start) + 1
    before = text[max(line, start - _WINDOW) : start].lower()
    if not any(word in before for word in _SAYING) and not provider_in(before):
        return False
    if any(word in before for word in _DENYING) or is_placeholder(token) or is_counting(token):
        return False
    if before.rstrip(" \"'`").endswith(("=", ":")) and strength(_last_name(text, start)) == NOTHING:
        return False
    plain = max(token.rstrip("=").split("."), key=len)
    if is_hex(plain):
        return len(plain) in (32, 40, 48, 64, 96, 128) and any(word in before[-24:] for word in _SAYING)
    return len(plain) >= 18 and mixes(plain) == 3 and is_random(plain) and wordiness(plain) < 0.4
