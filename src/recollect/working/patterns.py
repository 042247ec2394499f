"""What a secret looks like: families of patterns, each with a name for what it finds.

Every pattern is linear: no nested quantifiers, and one that begins with a run of characters begins
only where the run does. So no input can make it slow. A group named `secret` marks the part to take
out; without one the whole match goes.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of secret and how it is recognised."""

    kind: str
    pattern: re.Pattern[str]


def _family(kind: str, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Family:
    return Family(kind, re.compile(pattern, flags))


_SECRET_NAME = (
    r"(?:[\w.-]*(?:passw(?:or)?d|passwd|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|"
    r"private[_-]?key|client[_-]?secret|auth[_-]?key|encryption[_-]?key|credentials?)[\w.-]{0,40})"
)

FAMILIES: tuple[Family, ...] = (
    _family(
        "private key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|.*)",
        re.DOTALL,
    ),
    _family("jwt", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"),
    _family("aws access key", r"\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b"),
    _family("github token", r"\b(?:gh[pousr]_\w{36,255}|github_pat_\w{22,255})\b"),
    _family("gitlab token", r"\bgl(?:pat|ptt|dt|rt|soat|cbt)-[\w.-]{20,}"),
    _family("slack token", r"\bxox[a-z]-[\w-]{10,}|\bxapp-\d-[\w-]{10,}"),
    _family("slack webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[\w/+-]{20,}"),
    _family("google api key", r"\bAIza[\w-]{35}"),
    _family("google oauth secret", r"\bGOCSPX-[\w-]{20,}|\bya29\.[\w-]{20,}"),
    # With a digit near its start, which `sk-learn-pipelines-and-metrics` does not have.
    _family("model provider key", r"\bsk-(?:ant-|proj-|or-|svcacct-)?(?=[A-Za-z_-]{0,40}\d)[\w-]{20,}"),
    _family("stripe key", r"\b(?:sk|rk|pk|whsec)_(?:live|test)?_?[A-Za-z0-9]{20,}"),
    _family("hugging face token", r"\bhf_[A-Za-z0-9]{30,}"),
    _family("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _family("pypi token", r"\bpypi-[\w-]{50,}"),
    _family("sendgrid key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    _family("azure storage key", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    _family("digitalocean token", r"\bdo[oprt]_v1_[a-f0-9]{64}\b"),
    _family("shopify token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    _family("bearer token", r"(?i:\b(?:bearer|basic))\s+(?P<secret>[\w.~+/=-]{16,})"),
    _family(
        "url credentials", r"\b[a-zA-Z][\w+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s@/]{3,200})@"
    ),
    _family(
        "assigned secret",
        rf"(?i:(?<![\w.-]){_SECRET_NAME})[\"']?\s*(?:=>|:=|=|:)\s*"
        r"(?:\"(?P<quoted>[^\"\s]{8,})\"|'(?P<single>[^'\s]{8,})'|(?P<secret>[^\s\"',;}{)(]{8,}))",
    ),
)
