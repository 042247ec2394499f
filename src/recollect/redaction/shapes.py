"""Secrets known by their shape or by the text around them: JWTs, headers, addresses, command lines."""

from __future__ import annotations

from recollect.redaction.family import Family, key

_TOKEN = r"[A-Za-z0-9_-]"
_QUOTED = r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'"


def _after_scheme(kind: str, scheme: str, value: str) -> list[Family]:
    """What follows the name of a scheme, in the usual ways to write it.

    The patterns begin with letters that are fixed, which Python finds faster than a choice.
    """
    families = []
    for name in (scheme, scheme.upper()):
        tail = name[1:]
        first = f"[{scheme[0].lower()}{scheme[0]}]"
        pattern = rf"{tail}(?<={first}{tail})(?<![A-Za-z]{first}{tail})[ \t]{{1,4}}{value}"
        families.append(Family(kind, (f"{tail} ", f"{tail}\t"), pattern, free=True))
    return families


SHAPES: tuple[Family, ...] = (
    Family(
        "jwt", ("eyJ", "ey0"), rf"ey{_TOKEN}{{10,2000}}\.{_TOKEN}{{10,4000}}(?:\.{_TOKEN}{{0,2000}})?"
    ),
    Family("jwt", ("ZXlK",), r"ZXlK[A-Za-z0-9+/_-]{60,6000}={0,2}"),
    *_after_scheme("bearer token", "Bearer", r"[\"']?(?P<secret>[\w.~+/=:|-]{12,2000})"),
    *_after_scheme("basic credentials", "Basic", r"(?P<secret>[A-Za-z0-9+/]{8,2000}={0,2})"),
    Family(
        "url credentials",
        ("://",),
        r"://[^\s:/@\"'<>?#]{0,200}:(?P<secret>[^\s/\"'<>]{1,300})@",
    ),
    Family("url token", ("://",), r"://(?P<secret>[\w.~%+-]{16,300})@"),
    Family(
        "curl credentials",
        ("curl",),
        r"(?<=\s)(?:-u|--user|--proxy-user|-U)[ \t=]{0,4}"
        rf"(?P<secret>(?:{_QUOTED})(?::(?:{_QUOTED}))?|[^\s\"']{{1,100}}(?:{_QUOTED})?)",
        free=True,
    ),
    Family(
        "curl credentials",
        ("http -a ", "https -a ", "http --auth", "https --auth"),
        r"https? (?:-a|--auth)[ \t=]{1,4}(?P<secret>[^\s\"':]{1,60}:[^\s\"']{3,100})",
    ),
    Family(
        "command line password",
        ("pass:",),
        r"(?<=[ \t])pass:(?P<secret>[^\s\"']{4,100})",
        free=True,
    ),
    Family(
        "sql password",
        ("IDENTIFIED", "identified"),
        r"(?i:identified[ \t]{1,4}(?:with[ \t]{1,4}[\w\"'`]{1,40}[ \t]{1,4})?(?:by|as)[ \t]{1,4}"
        r"(?:password[ \t]{1,4})?)['\"](?P<secret>[^'\"\n]{4,200})",
        free=True,
    ),
    Family(
        "command line password",
        ("requirepass ", "masterauth "),
        r"(?:requirepass|masterauth)[ \t]{1,4}[\"']?(?P<secret>[^\s\"'#]{4,200})",
    ),
    Family(
        "command line password",
        ("ConvertTo-SecureString",),
        r"ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[\"'](?P<secret>[^\"'\n]{4,200})",
    ),
    Family(
        "command line password",
        ("htpasswd",),
        r"htpasswd[ \t]{1,4}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]{1,4}[^\s-]{1,200}[ \t]{1,4}"
        r"[^\s-]{1,60}[ \t]{1,4}[\"']?(?P<secret>[^\s\"']{4,100})",
    ),
    Family(
        "command line password",
        ("net use",),
        r"net use [^\n]{0,100}?/user:[^\s/]{1,60}[ \t]{1,4}[\"']?(?P<secret>[^\s\"'/*][^\s\"']{3,100})",
    ),
    Family("password file", (":5432:",), r":5432:[^\s:]{1,60}:[^\s:]{1,60}:(?P<secret>[^\s:]{4,100})"),
    Family(
        "url credentials",
        ("jdbc:oracle:",),
        r"jdbc:oracle:[a-z]{1,8}:[^\s:/@]{1,60}/(?P<secret>[^\s:/@\"']{3,100})@",
    ),
    Family("password hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    Family(
        "password hash",
        ("$1$", "$5$", "$6$", "$y$", "$apr1$"),
        r"\$(?:1|5|6|y|apr1)\$[./A-Za-z0-9$=,]{20,200}",
    ),
    Family(
        "password hash",
        ("$argon2", "$scrypt$", "pbkdf2_sha256$", "pbkdf2:sha256"),
        r"(?:\$argon2(?:id|i|d)|\$scrypt|pbkdf2[_:]sha256)[$:][\w$=,+/.:-]{30,300}",
    ),
    Family(
        "teams webhook",
        (".webhook.office.com/",),
        r"\.webhook\.office\.com/(?P<secret>webhookb2/[\w@/-]{60,300})",
    ),
    key(
        "session cookie",
        *("JSESSIONID=", "PHPSESSID=", "ASP.NET_SessionId=", "connect.sid=", "laravel_session="),
        *("_session=", "sessionid="),
        body=r"(?P<secret>[\w%.+/=-]{16,4000})",
    ),
    Family("sas signature", ("sig=",), r"sig=(?P<secret>[A-Za-z0-9%+/]{30,100}={0,2})"),
    Family(
        "signed address",
        ("X-Amz-", "X-Goog-"),
        r"X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)=(?P<secret>[\w%/+.-]{16,2000})",
    ),
    Family("signed address", ("Signature=",), r"Signature=(?P<secret>[\w%+/~-]{40,2000}={0,2})"),
    Family(
        "webhook address",
        ("/webhook", "/hooks/"),
        r"(?:/webhooks?/|/hooks/)(?P<secret>[\w/-]{20,200})",
        free=True,
    ),
    # Bundler writes a host in the environment with two underscores for each dot.
    Family(
        "bundler credentials",
        ("BUNDLE_",),
        r"BUNDLE_[A-Z0-9_]{3,80}__[A-Z]{2,10}[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?"
        r"(?P<secret>[^\s:\"']{4,80}:[^\s\"']{4,80})",
        free=True,
    ),
)
