"""Random tokens without a known prefix or name: judged by their shape and by the words before them."""

from __future__ import annotations

from recollect.redaction.secret_names import NOTHING, is_public_name, name_strength, provider_in
from recollect.redaction.spans import Span
from recollect.redaction.value_check import (
    entropy,
    has_count,
    has_digit,
    is_counting,
    is_digest,
    is_hex,
    is_identifier,
    is_placeholder,
    is_random,
    is_uuid,
    mixes,
    word_set,
    wordiness,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.redaction.spans import ScannedText

_SHORTEST, _LONGEST = 18, 4_000  # characters of a token that stands alone
_WINDOW = 60  # characters before a token that may say what it is
_SECRET_WORDS = (
    "key",
    "token",
    "secret",
    "passw",
    "credential",
    "auth",
    "bearer",
    "pwd",
    "login",
    "cookie",
)
_PUBLIC_WORDS = (
    *("sha", "hash", "digest", "integrity", "checksum", "commit", "blob", "tree", "etag", "nonce"),
    *(
        "base64,",
        "fingerprint",
        "recv-key",
        "pub",
        "sourcemap",
        "signature",
        "certificate",
        "rev",
        "uuid",
        "cache",
    ),
)
_LEAST_BODY = 20  # of a token with a prefix; keys that are issued are longer
_ENDINGS = word_set(
    "png jpg jpeg gif svg webp ico css js mjs ts tsx jsx py rb go rs java kt c h cpp hpp md txt html htm",
    "json yaml yml toml lock xml pdf zip gz tgz tar whl map woff woff2 ttf mp4 mp3 wav csv log sql sh",
)


def bare_tokens(source: ScannedText) -> Iterator[Span]:
    """Tokens that look issued, or random ones where the text before them mentions a secret."""
    if not any(_may_be_random(token) for token in source.tokens):
        return
    text = source.text
    mentioned = any(word in source.lower for word in _SECRET_WORDS)
    for start, end, token in _alone(text, source.tokens):
        if not (mixes(token) == 3 or (mentioned and _may_be_key(token)) or _has_shape(token)):
            continue
        if is_uuid(token) or is_digest(token) or _is_part_of_more(text, start, end, token):
            continue
        if _is_token(text, start, token) or (
            is_bare_secret(token) and not _is_public(text, start, end)
        ):
            yield Span("high-entropy token", start, start + len(token))


def _is_token(text: str, start: int, token: str) -> bool:
    """Whether a token looks issued, or is random where the text before it mentions a secret."""
    if text[start - 1 : start] == "=":
        return False  # an assignment, which its name decides
    return _has_shape(token) or _looks_issued(token) or _is_mentioned(text, start, token)


def _may_be_random(token: str) -> bool:
    """A quick check: a digit, and upper case or no sign in it."""
    return has_digit(token) and (
        token.lower() != token or token.isalnum() or is_hex(token.replace("-", ""))
    )


def _alone(text: str, tokens: list[str]) -> Iterator[tuple[int, int, str]]:
    """(start, end, token) of each token with a digit that is no value of a query."""
    end = 0
    for token in tokens:
        start = text.find(token, end)
        end = start + len(token)
        start = end - len(token.lstrip("-_+"))
        if end - start < _SHORTEST or not has_digit(token) or not _begins(text, start):
            continue
        closed = end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip("="))
        yield start, closed, text[start : min(closed, start + _LONGEST)].rstrip(".-/")


def _begins(text: str, start: int) -> bool:
    """Whether a token that may be a secret begins here: no escape, and no value in an address."""
    is_plain = text[start].isascii() and text[start].isalnum()
    return is_plain and text[start - 1 : start] != "%" and not _is_in_query(text, start)


def _is_in_query(text: str, start: int) -> bool:
    """Whether a token is a value in an address: `?page=...`, `&id=...`."""
    if text[start - 1 : start] != "=":
        return False
    word = text[max(0, start - 200) : start].split()[-1:]
    return bool(word) and ("?" in word[0] or "&" in word[0] or "://" in word[0])


def _may_be_key(token: str) -> bool:
    """Letters of one case and digits, as keys in base32 and in hexadecimal have."""
    return is_hex(token) or (mixes(token) == 2 and token.isalnum())


def is_bare_secret(token: str) -> bool:
    """Whether a token is random enough to be a secret anywhere: 32 characters and more, of three kinds."""
    run = token.rstrip("=")
    if (
        not _LEAST_BARE <= len(run) <= _MOST_BARE
        or mixes(run) < 3
        or is_identifier(run)
        or _is_name(run)
    ):
        return False
    if is_placeholder(run) or has_count(run) or run.startswith(_PUBLIC_STARTS):
        return False
    if not all(sign.isalnum() or sign in "_-+/" for sign in run) or run.count("/") > len(run) // 10 + 1:
        return False
    may_be_name = run.isidentifier() and len(_digit_runs(run)) < 2
    most_words = _NAME_WORDS if may_be_name else _BARE_WORDS
    if not is_random(run) or entropy(run) < _BARE_ENTROPY or wordiness(run) >= most_words:
        return False
    return not _encodes_text(run)


def _digit_runs(run: str) -> list[str]:
    return "".join([sign if sign.isdigit() else " " for sign in run]).split()


def _encodes_text(run: str) -> bool:
    """Whether it, or its longest part, is base64 of words; what they say decides, not their encoding."""
    longest = max(run.replace("_", "-").split("-"), key=len)
    return _is_text(run) or (len(longest) >= _LEAST_BODY and _is_text(longest))


def _is_text(run: str) -> bool:
    from binascii import Error, a2b_base64

    quanta = run[: len(run) // 4 * 4].replace("-", "+").replace("_", "/")
    try:
        return a2b_base64(quanta).decode().isprintable()
    except (Error, ValueError):
        return False


_LEAST_BARE, _MOST_BARE = 32, 96  # characters; 64 random bytes have 88 in base64, a longer run is data
_BARE_ENTROPY, _BARE_WORDS = 4.0, 0.55
_NAME_WORDS = 0.25  # with digits in one place only, as in the name `keyDataX509Id`
# Public keys, addresses by content, and what base64 makes of JSON.
_PUBLIC_STARTS = ("AAAA", "Qm", "bafy", "eyJ", "data")


def _is_public(text: str, start: int, end: int) -> bool:
    """Whether a token is a digest by the words before it, or data by the base64 on the lines beside it."""
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _WINDOW) : start].lower()
    if any(word in before for word in _PUBLIC_WORDS) or before.endswith(("h1:", "h2:")):
        return True
    if before.rstrip(" \"'`").endswith(("=", ":")) and _has_public_name(text, start):
        return True
    if "://" in before[before.rfind(" ") + 1 :]:
        return True
    above = text[max(0, line - 100) : max(0, line - 1)].rpartition("\n")[2].strip(" \t\r\"'+\\,")
    below = text[end : end + 200].partition("\n")[2].partition("\n")[0].strip(" \t\r\"'+\\,")
    return _is_data(above) or _is_data(below) or "-----" in above + below


def _has_public_name(text: str, start: int) -> bool:
    """Whether the name before a token is that of an id or a digest, or of the public half of a key."""
    name = _last_name(text, start)
    if name in ("x", "y", "n") and '"kty"' in text[max(0, start - 400) : start + 400]:
        return True
    return is_public_name(name)


def _is_data(line: str) -> bool:
    """Whether a line is nothing but base64, as in a certificate."""
    plain = line.rstrip("=").replace("+", "").replace("/", "")
    return len(line) >= 40 and plain.isalnum() and plain.isascii() and mixes(plain) >= 2


def _is_part_of_more(text: str, start: int, end: int, token: str) -> bool:
    """Whether it is a piece of an address or a path, or of something in another alphabet."""
    before = text[max(0, start - 2) : start]
    if before[-1:] in ("/", "\\", "@", "#", "&", "?") or text[end : end + 1] in ("@", "/", "\\"):
        return True
    if "://" in token or token.rpartition(".")[2].lower() in _ENDINGS:
        return True
    return "/" in token and wordiness(token) > 0.4


def _has_shape(token: str) -> bool:
    """Three parts of known lengths: `id.time.signature` of Discord, `key-id-id` of Mailgun."""
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
    """`prefix_` or `prefix-`, then a long random run of upper case, lower case and digits."""
    if is_identifier(token):
        return False
    for mark in ("_", "-", "."):
        prefix, separator, body = token.partition(mark)
        while separator and len(prefix) <= 24:
            if _is_prefix(prefix) and _is_body(body):
                return True
            more, separator, body = body.partition(mark)
            prefix = f"{prefix}{mark}{more}"
    return False


def _is_prefix(prefix: str) -> bool:
    """One case, beginning with two letters, as a provider writes its name; what is random mixes them."""
    plain = prefix.replace("_", "").replace("-", "")
    begins = len(prefix) > 1 and prefix[:2].isalpha()
    return begins and plain.isalnum() and prefix in (prefix.lower(), prefix.upper())


def _is_body(body: str) -> bool:
    run = body.rstrip("=")
    if len(run) < _LEAST_BODY or mixes(run) < 3 or is_counting(run) or is_placeholder(run):
        return False
    if not all(sign.isalnum() or sign in "_-" for sign in run) or _is_name(run):
        return False
    if _encodes_text(run):
        return False
    return is_random(run) and entropy(run) >= 3.6 and wordiness(run) < 0.4


def _is_name(run: str) -> bool:
    """Whether it is composed like a name: parts that are short or have numbers only at their ends."""
    parts = run.replace("-", "_").strip("_").split("_")
    return len(parts) > 1 and all(_is_part(part) for part in parts)


def _is_part(part: str) -> bool:
    plain = part.strip("0123456789")
    return plain.isalpha() or (len(part) < 12 and part in (part.lower(), part.upper()))


def _last_name(text: str, start: int) -> str:
    """The name before a sign and a token."""
    before = text[max(0, start - _WINDOW) : start].rstrip(" \"'`:=")
    return before.split()[-1].strip("\"'`{([,;-") if before else ""


def _is_mentioned(text: str, start: int, token: str) -> bool:
    line = text.rfind("\n", max(0, start - _WINDOW), start) + 1
    before = text[max(line, start - _WINDOW) : start].lower()
    if not any(word in before for word in _SECRET_WORDS) and not provider_in(before):
        return False
    if any(word in before for word in _PUBLIC_WORDS) or is_placeholder(token) or is_counting(token):
        return False
    if _is_name(token):
        return False
    if (
        before.rstrip(" \"'`").endswith(("=", ":"))
        and name_strength(_last_name(text, start)) == NOTHING
    ):
        return False
    plain = max(token.rstrip("=").split("."), key=len)
    has_word = any(word in before[-32:] for word in _SECRET_WORDS)
    if is_hex(plain):
        if len(plain) == 40 and plain == plain.upper():
            return False  # the fingerprint of an OpenPGP key, as its tools write it
        return (
            has_word
            and (20 <= len(plain) <= 40 or len(plain) in (48, 64, 96, 128))
            and not plain.isdigit()
        )
    if mixes(plain) == 2:
        return has_word and len(plain) >= 20 and is_random(plain) and wordiness(plain) < 0.4
    return len(plain) >= 18 and mixes(plain) == 3 and is_random(plain) and wordiness(plain) < 0.4
