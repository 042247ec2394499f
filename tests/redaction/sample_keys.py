"""Secrets made up at run time, so that no scanner takes these files for a leak."""

import random
import string

HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"


def drawn(length: int, alphabet: str = ALNUM, seed: int = 0) -> str:
    """Characters drawn by lot, the same for the same arguments; the ends are letters or digits."""
    lot = random.Random(f"{seed}/{length}/{alphabet}")
    plain = [one for one in alphabet if one.isalnum()]
    middle = "".join(lot.choice(alphabet) for _ in range(length - 2))
    return lot.choice(plain) + middle + lot.choice(plain)


def uuid(seed: int = 0) -> str:
    """A UUID drawn by lot."""
    digits = drawn(32, HEX, seed)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def pem(label: str = "RSA PRIVATE KEY", feed: str = "\n") -> str:
    """A private key block of three lines."""
    lines = (drawn(64, ALNUM + "+/", seed) for seed in range(3))
    dashes = "-" * 5
    return feed.join((f"{dashes}BEGIN {label}{dashes}", *lines, f"{dashes}END {label}{dashes}"))


# A key of each provider: its kind as a finding names it, and the key.
ISSUED: dict[str, tuple[str, ...]] = {
    "aws access key": ("AKIA" + drawn(16, UPPER), "ASIA" + drawn(16, UPPER)),
    "google api key": ("AIza" + "Sy" + drawn(33, WORD),),
    "google oauth secret": ("GOC" + "SPX-" + drawn(28, WORD),),
    "google oauth token": ("ya" + "29." + drawn(60, WORD),),
    "azure client secret": (drawn(3) + "8Q" + "~" + drawn(34, ALNUM + "_.-"),),
    "digitalocean token": ("dop_" + "v1_" + drawn(64, HEX),),
    "alibaba access key": ("LT" + "AI" + drawn(20),),
    "heroku key": ("HR" + "KU-" + drawn(60, WORD),),
    "fly.io token": ("fm2_" + drawn(80),),
    "planetscale credential": ("pscale_" + "tkn_" + drawn(43),),
    "databricks token": ("da" + "pi" + drawn(32, HEX),),
    "github token": ("gh" + "p_" + drawn(36), "github" + "_pat_" + drawn(82), "gh" + "s_" + drawn(36)),
    "gitlab token": ("gl" + "pat-" + drawn(20, WORD), "gl" + "rt-" + drawn(20, WORD)),
    "atlassian token": ("AT" + "ATT3" + drawn(186, WORD),),
    "npm token": ("np" + "m_" + drawn(36),),
    "pypi token": ("py" + "pi-" + drawn(160, WORD),),
    "rubygems key": ("ruby" + "gems_" + drawn(48, HEX),),
    "docker token": ("dckr" + "_pat_" + drawn(27, WORD),),
    "sonar token": ("sq" + "u_" + drawn(40, LOWER),),
    "terraform cloud token": (drawn(14) + ".atlas" + "v1." + drawn(67, WORD),),
    "pulumi token": ("pu" + "l-" + drawn(40, HEX),),
    "doppler token": ("dp." + "pt." + drawn(43),),
    "vault token": ("hv" + "s." + drawn(90, WORD),),
    "1password token": ("ops_" + "eyJ" + drawn(300, WORD),),
    "age key": ("AGE-SECRET-" + "KEY-1" + drawn(58, UPPER),),
    "postman key": ("PM" + "AK-" + drawn(24, HEX) + "-" + drawn(34, HEX),),
    "slack token": (
        "xox" + "b-" + drawn(12, string.digits) + "-" + drawn(24),
        "xa" + "pp-1-" + drawn(40),
    ),
    "slack webhook": ("https://hooks." + "slack.com/services/T0/B0/" + drawn(24),),
    "discord webhook": (
        "https://discord." + "com/api/webhooks/" + drawn(18, string.digits) + "/" + drawn(68),
    ),
    "telegram token": (drawn(9, string.digits) + ":AA" + drawn(33, WORD),),
    "twilio key": ("S" + "K" + drawn(32, HEX),),
    "sendgrid key": ("S" + "G." + drawn(22, WORD) + "." + drawn(43, WORD),),
    "mailgun key": ("ke" + "y-" + drawn(32, HEX),),
    "mailchimp key": (drawn(32, HEX) + "-us" + "12",),
    "model provider key": ("sk-" + "ant-api03-" + drawn(93, WORD), "sk-" + "proj-" + drawn(120, WORD)),
    "hugging face token": ("h" + "f_" + drawn(34),),
    "groq key": ("gs" + "k_" + drawn(52),),
    "replicate token": ("r" + "8_" + drawn(37),),
    "stripe key": ("sk_" + "live_" + drawn(24), "rk_" + "test_" + drawn(40)),
    "square token": ("sq0" + "atp-" + drawn(22, WORD),),
    "shopify token": ("shp" + "at_" + drawn(32, HEX),),
    "plaid token": ("access-" + "sandbox-" + uuid(),),
    "grafana token": ("gl" + "sa_" + drawn(32) + "_" + drawn(8, HEX),),
    "sentry token": ("sn" + "tryu_" + drawn(64, HEX),),
    "new relic key": ("NR" + "AK-" + drawn(27, UPPER),),
    "linear key": ("lin" + "_api_" + drawn(40),),
    "notion token": ("nt" + "n_" + drawn(11, string.digits) + drawn(35),),
    "airtable token": ("pa" + "t" + drawn(14) + "." + drawn(64, HEX),),
    "figma token": ("fi" + "gd_" + drawn(40, WORD),),
    "tailscale key": ("ts" + "key-auth-" + drawn(40, WORD),),
    "jwt": ("ey" + "J" + drawn(30, WORD) + ".ey" + "J" + drawn(60, WORD) + "." + drawn(43, WORD),),
    "password hash": ("$2" + "b$12$" + drawn(53),),
}
