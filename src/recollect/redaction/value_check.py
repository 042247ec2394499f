"""Is this value a secret, or a word, a placeholder, a reference to one, a digest?

Values are short, so that counting their characters is enough.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def word_set(*lines: str) -> frozenset[str]:
    """The words of these lines."""
    return frozenset([word for line in lines for word in line.split()])


_DIGITS = frozenset("0123456789")
_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = frozenset("0123456789abcdefABCDEF")
# How often a letter follows another in words, from 0 (never) to 9: row `a` to `z`, column `a` to `z`.
# Counted over the words that at least six modules of Python's standard library have in common.
_PAIRS = (
    b"0454013040164604065732002064426100630720520552500040"
    b"6031610640550070042640001052238200700302500451400010"
    b"4156332010044613176502140050226600800501600534500030"
    b"5010803560043540065240000070008000600321700425300020"
    b"4354434000054863035603020370307200534000730050724020"
    b"5022813070240422016430301060137000700600620044310060"
    b"7401800060134056004140000050566370502102410067320000"
    b"2344023020355734074453400060117003500600650735400040"
    b"2003000000040200045092000060338120601343620355310030"
    b"4041710560131145005750102060217105700310520654300040"
    b"4542423040055725066600000070209000700011500000000000"
    b"7003600670130660065100100042536202700240370037110320"
    b"3242423050045647036602303360009100600121410213000010"
)
_ZERO, _A = ord("0"), ord("a")
_WORD_LIKE = 3.7  # the mean of 99 words in 100 is above it, that of 9 random strings in 10 below
# What people write in place of a secret.
_PLACEHOLDER_PARTS = tuple(
    word_set(
        "example placeholder changeme change_me change-me changethis replace redacted your insert xxxx dummy",
        "sample foobar todo fixme not-a-real notreal fake mock lorem goes-here goes_here .... **** ____ ----",
        "#### abcdefgh 12345678901 0000000",
    )
)
_PLACEHOLDERS = word_set(
    "password passwd pass pwd secret token key apikey api_key api-key username user login admin test testing",
    "root string str text null nullptr none nil undefined true false yes no on off required optional default",
    "empty unset value hidden masked abc abc123 foo bar baz 123456 1234567 12345678 123456789 1234567890",
    "mypassword my_password my-password mysecret mytoken secretpassword supersecret bearer basic auth oauth",
    "jwt identifier number boolean object function passwort kennwort contraseña contrasena senha wachtwoord",
    "lösenord losenord hasło haslo parola heslo salasana şifre пароль",
)
# Of these and of what the parts above match, what people do choose.
_WEAK_PASSWORDS = word_set(
    "admin root test testing login default abc123 123456 1234567 12345678 123456789 1234567890 foobar",
    "supersecret secretpassword mypassword mysecret 0000000 00000000 12345678901 bar foo baz abc hidden",
)
# In place of the part of a secret that is not shown.
_MASKS = ("…", "•", "●", "[...]")
# A value that begins like this says where the secret is, not what it is.
_REFERENCES = (
    *("$", "{{", "#{", "@{", "%{", "%(", "<", "[REDACTED", "[[", "...", "&lt;"),
    *(
        "op://",
        "vault:",
        "vault://",
        "ref+",
        "ssm:",
        "arn:",
        "secretsmanager:",
        "keyring:",
        "file:",
        "env:",
    ),
    *("http://", "https://", "ftp://", "./", "../", "~/", "C:\\", "data:image", "projects/"),
)
# The same for a value without quotes, which may be code.
_CODE = (
    *("[", "(", "{", "&", "*", "!", "/", "@", "-", "#", "|"),
    *(
        "os.",
        "process.",
        "env.",
        "env[",
        "env(",
        "getenv",
        "System.",
        "ENV[",
        "ENV.",
        "Env.",
        "import.",
    ),
    *(
        "config.",
        "config[",
        "settings.",
        "self.",
        "this.",
        "secrets.",
        "vars.",
        "var.",
        "local.",
        "data.",
    ),
    *("args.", "opts.", "options.", "params.", "request.", "req.", "res.", "ctx.", "props.", "state."),
)
_PARAMETERS = word_set("%s %r %d %v %q %@ ? ?? :password :pass :pwd :secret :token @password @pwd \\*")
_ID_PREFIXES = word_set(
    "ses sess session msg message req request resp call toolu tool run evt event prt part trace span build",
    "job task thread step chatcmpl file batch item user usr org team proj project acct cus customer sub inv",
    "price prod txn order node pod instance vol img container layer arn cmd hook id uid uuid rev blob nonce",
    "etag chunk cursor page deploy dpl commit cache bundle asset pi pm ch ba card seti exec",
)
_DIGESTS = word_set("sha1 sha224 sha256 sha384 sha512 md5 blake2b blake2s blake3 h1 crc32")


def is_identifier(text: str) -> bool:
    """Whether its prefix says that it is the id of a session, a message or a call: `toolu_01A...`."""
    return text.replace("-", "_").partition("_")[0].lower() in _ID_PREFIXES


def is_slug(text: str) -> bool:
    """Whether it is words and numbers joined, as in `web-eu-1204` or `jackson-0.11.2`."""
    parts = text.replace("_", "-").replace(".", "-").replace(":", "-").split("-")
    plain = all(part.rstrip("0123456789").isalpha() or part.isdigit() or not part for part in parts)
    return len(parts) > 2 and plain and len(max(parts, key=len)) < 14 and text == text.lower()


def has_digit(text: str) -> bool:
    """Whether it contains an ASCII digit."""
    return not _DIGITS.isdisjoint(text)


def is_hex(text: str) -> bool:
    """Whether it is hexadecimal digits only."""
    return bool(text) and _HEX.issuperset(text)


def is_uuid(text: str) -> bool:
    """Whether it is a UUID as usually written."""
    if len(text) != 36 or text[8] != "-" or text[13] != "-" or text[18] != "-" or text[23] != "-":
        return False
    return is_hex(text.replace("-", ""))


def is_digest(text: str) -> bool:
    """Whether it begins with the name of a digest: `sha256:...`, `sha512-...=`."""
    head = text[:10].replace("-", ":").replace("=", ":")
    return head.partition(":")[0].lower() in _DIGESTS and ":" in head


def is_reference(text: str, *, quoted: bool = True) -> bool:
    """Whether it says where a secret comes from: a variable, a template, a call, a path, an address."""
    if text.startswith(_REFERENCES):
        return True
    if not quoted and text.startswith(_CODE) and not (text[0] == "-" and is_random(text[1:])):
        return True
    if _is_template(text) or (text[:1] == "@" and ("/" in text or "." in text)):
        return True
    if (
        text in _PARAMETERS
        or text[:1] + text[-1:] in ("%%", "[]", "()", "{}")
        or text.endswith(("...", "(", "{"))
    ):
        return True
    if any(mask in text for mask in _MASKS) or _is_expression(text):
        return True
    if text.partition("{")[2].partition("}")[0].replace(".", "_").isidentifier():
        return True
    return "<$" in text or "](" in text or "()" in text or "{{" in text or "${" in text or "$(" in text


def _is_template(text: str) -> bool:
    """Whether something else is to be put in its place: `__DB_PASSWORD__`, `@DB_PASSWORD@`, `##TOKEN##`."""
    inner = (
        text.strip(text[0]) if text[:1] in ("_", "@", "#", "%", "~") and text[-1:] == text[:1] else ""
    )
    return inner.isidentifier() and inner == inner.upper()


def _is_expression(text: str) -> bool:
    """Whether it is a pattern that secrets match: `gh[a-z]_[A-Za-z0-9]{36}`."""
    return (
        "(?:" in text
        or "(?P<" in text
        or ("[" in text and any(range in text for range in ("a-z", "A-Z", "0-9")))
    )


def is_placeholder(text: str) -> bool:
    """Whether people write it in place of a secret: `xxxx`, `your-key-here`, `changeme`, one letter again."""
    low = text.lower()
    return (
        low in _PLACEHOLDERS
        or len(set(low)) <= min(3, len(text) // 2)
        or any(word in low for word in _PLACEHOLDER_PARTS)
    )


def is_no_password(text: str) -> bool:
    """Whether it is in place of a password. Fewer things are than of a key: `admin` and `123456` are used."""
    low = text.lower()
    if low in _WEAK_PASSWORDS or (low.isdigit() and len(low) >= 4):
        return False
    masked = len(set(low)) == 1 or not low.strip("x*.-_#?•●")
    return masked or low in _PLACEHOLDERS or any(part in low for part in _PLACEHOLDER_PARTS)


def is_monotone(text: str) -> bool:
    """Whether it has at most three characters, or half of it is one character, as in examples of a key."""
    low = text.lower()
    kinds = set(low)
    if len(kinds) <= 3 or "xxxx" in low:
        return True
    return max(low.count(letter) for letter in kinds) * 2 > len(low)


def is_repeated(text: str) -> bool:
    """Whether three of its parts are the same, as in `1234-1234-1234-...`."""
    parts = text.replace("_", "-").split("-")
    return (
        len(parts) > 3
        and not is_uuid(text)
        and any(len(part) > 2 and parts.count(part) >= 3 for part in parts)
    )


def has_count(text: str) -> bool:
    """Whether four characters in it count up, as a person types them: `abcd`, `1234`. By chance few do."""
    steps = "".join(["+" if ord(after) - ord(before) == 1 else "." for before, after in pairwise(text)])
    return "+++" in steps


def is_counting(text: str) -> bool:
    """Whether most of it goes up by one: `1234567890abcdef`."""
    steps = sum(ord(after) - ord(before) in (1, -9) for before, after in pairwise(text.lower()))
    return steps * 2 > len(text)


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(text)
    counts = [text.count(character) for character in set(text)]
    return -sum(count / size * log2(count / size) for count in counts)


def mixes(text: str) -> int:
    """How many of lower case, upper case and digits there are."""
    return 3 - _LOWER.isdisjoint(text) - _UPPER.isdisjoint(text) - _DIGITS.isdisjoint(text)


def words(text: str) -> Iterator[str]:
    """The runs of letters of one word: `getUserToken2` gives get, User, Token."""
    start = 0
    size = len(text)
    for position in range(1, size + 1):
        if position < size and _together(text, position):
            continue
        if text[start].isalpha():
            yield text[start:position]
        start = position


def _together(text: str, position: int) -> bool:
    """Whether the character here belongs to the word of the one before it."""
    before, here = text[position - 1], text[position]
    if not here.isalpha() or not before.isalpha():
        return False
    if before.islower():
        return here.islower()
    return here.isupper() or position < 2 or not text[position - 2].isupper()


@lru_cache(256)
def wordiness(text: str) -> float:
    """The share of its characters that are in what looks like words; separators do not count.

    Random letters break into runs of one or two, or follow each other as in no word.
    """
    whole = sum(character.isalnum() for character in text)
    in_words = sum(len(word) for word in words(text) if _is_word(word))
    return in_words / whole if whole else 1.0


def _is_word(word: str) -> bool:
    if len(word) < 3 or not word.isascii():
        return len(word) >= 3
    letters = word.lower().encode()
    frequency = sum(_PAIRS[(before - _A) * 26 + after - _A] for before, after in pairwise(letters))
    return frequency / (len(letters) - 1) - _ZERO >= _WORD_LIKE


def is_wordy(text: str) -> bool:
    """Whether it is made of words: a name, a path, a phrase with hyphens."""
    return wordiness(text) >= 0.7


def is_random(text: str) -> bool:
    """Whether it looks random: long enough, several kinds of characters, no words."""
    size = len(text)
    if size < 12 or not has_digit(text) or is_monotone(text):
        return False
    if is_hex(text.replace("-", "")):
        return size >= 28 and entropy(text.lower()) >= 2.9
    kinds = mixes(text)
    if kinds < 2 or (kinds == 2 and size < 16):
        return False
    least = 3.0 if size < 20 else 3.3
    return entropy(text) >= least and wordiness(text) < 0.55
