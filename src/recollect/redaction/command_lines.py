"""Passwords on command lines, and in calls that log in: by the program and its option, by the function."""

from __future__ import annotations

from recollect.redaction.family import Family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LOGINS = "docker podman buildah skopeo nerdctl oc cf oras ibmcloud helm crane az"
# Programs by the option that takes their password.
_PROGRAMS = {
    "-p": (
        *(
            "mongo",
            "cqlsh",
            "beeline",
            "rabbitmqadmin",
            "couchbase-cli",
            "cypher-shell",
            "twine upload",
        ),
        *(
            "conan user",
            "sshpass",
            "psexec",
            "evil-winrm",
            "crackmapexec",
            "nxc ",
            "useradd",
            "usermod",
        ),
        *(
            "ncftpput",
            "ncftpget",
            "influx",
            "wsadmin",
            "impala-shell",
            "trino",
            "drush",
            "smbmap",
            "cbbackup",
        ),
    ),
    "-P": (
        "unzip",
        "zip",
        "ipmitool",
        "sqlcmd",
        "bcp",
        "mosquitto_pub",
        "mosquitto_sub",
        "tsql",
        "isql",
    ),
    "-a": ("redis-cli", "valkey-cli", "keydb-cli"),
    "-w": ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami"),
    "-pw": ("plink", "pscp", "psftp", "putty"),
    "-U": ("smbclient", "rpcclient", "net rpc"),
}
_OPTION = r"[^\n|;&]{0,160}?[ \t]%s[ \t=]{1,2}"
_VALUE = r"(?P<secret>\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|[^\s\"'-][^\s]{2,100})"
_STDIN = (
    r"[ \t]{0,4}\|[ \t]{0,4}(?:sudo\b[^|\n]{0,40}-\w{0,4}S|[\w /.-]{0,80}-stdin|su\b|kinit|cryptsetup|gpg"
    r"|openssl|passwd|(?:sudo )?chpasswd)"
)


def _by_option(programs: tuple[str, ...], option: str) -> Family:
    """The passwords that these programs take after an option."""
    names = "|".join(programs)
    return Family(
        "command line password", programs, rf"(?:{names})\w{{0,8}}(?=\s){_OPTION % option}{_VALUE}"
    )


_WITH_P: tuple[Family, ...] = (
    Family(
        "command line password",
        tuple(f"{program} " for program in _LOGINS.split()),
        rf"(?:{_LOGINS.replace(' ', '|')})[ \t]{{1,4}}(?:\w{{1,12}}[ \t]{{1,4}})?login\b"
        rf"{_OPTION % '-p'}{_VALUE}",
    ),
    Family(
        "command line password",
        ("mysql", "mariadb", "7z", "unrar", "rar "),
        r"(?:mysql|mariadb|7z|unrar|rar)[\w-]{0,10}[ \t][^\n|;]{0,160}?(?<=[ \t])-h?p"
        r"(?P<secret>[^\s\"'-][^\s\"']{2,100})",
    ),
)
_OTHERS: tuple[Family, ...] = (
    Family(
        "command line password",
        ("echo ", "printf "),
        r"(?:echo|printf)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4})?[\"']?(?P<secret>[^\"'|\n]{3,200}?)(?:\\n)?[\"']?"
        + _STDIN,
    ),
    Family(
        "command line password",
        ("<<<",),
        r"(?:sudo\b[^|\n]{0,40}-\w{0,4}S|passwd|chpasswd|kinit|cryptsetup)[^\n|]{0,60}<<<[ \t]{0,4}"
        r"[\"']?(?P<secret>[^\s\"']{3,200})",
        free=True,
    ),
    Family(
        "command line password",
        ("net user ", "add_user ", "change_password ", "wpa_passphrase "),
        r"(?:net user|add_user|change_password|wpa_passphrase)[ \t]{1,4}[\"']?[^\s\"'/-]{1,60}[\"']?"
        r"[ \t]{1,4}[\"']?(?P<secret>[^\s\"'/-][^\s\"']{2,100})",
    ),
    Family(
        "command line password",
        ("sqlplus ", "impdp ", "expdp ", "sqlldr "),
        r"(?:sqlplus|impdp|expdp|sqlldr)[ \t]{1,4}(?:-\w{1,8}[ \t]{1,4})?[\"']?[\w$#]{1,40}/"
        r"(?P<secret>[^\s/@\"']{3,100})",
    ),
    Family(
        "command line password",
        ("lftp ",),
        r"lftp\b[^\n|;]{0,80}?[ \t]-u[ \t]{1,4}[^\s,]{1,60},(?P<secret>[^\s\"']{3,100})",
    ),
    Family(
        "command line password",
        ("freerdp ", "rdp "),
        r"rdp\b[^\n|;]{0,160}?[ \t]/p:(?P<secret>[^\s\"']{3,100})",
        free=True,
    ),
    Family(
        "client credentials",
        (
            "uth(",
            "ogin(",
            "redential(",
            "redentials(",
            "uthenticate(",
            "uthentication(",
            "uthenticator(",
        ),
        r"(?:uth|ogin|redentials?|uthenticat(?:e|ion|or))\(\s{0,40}(?:\w{1,20}\s?[=:]\s?)?[bur@]?"
        r"[\"'][^\"'\n]{0,80}[\"']\s{0,4},\s{0,40}(?:\w{1,20}\s?[=:]\s?)?[bur@]?[\"'](?P<secret>[^\"'\n]{3,100})[\"']",
        free=True,
    ),
    Family(
        "client credentials",
        ("auth=(", "auth = (", "uth.basic(", "uthTokens.basic(", "asic_auth("),
        r"(?:auth ?= ?|uth\.basic|Tokens\.basic|asic_auth)\(\s{0,20}[\"'][^\"'\n]{0,80}[\"'],\s{0,20}"
        r"[\"'](?P<secret>[^\"'\n]{3,100})",
        free=True,
    ),
    Family(
        "client credentials",
        ("getConnection(",),
        r"getConnection\(\s{0,20}[^,()\n]{1,200},\s{0,20}\"[^\"\n]{0,60}\",\s{0,20}\"(?P<secret>[^\"\n]{3,100})\"",
        free=True,
    ),
)


def command_families(text: str) -> Iterator[Family]:
    """The families to try on a text: programs only if one of their options is in it."""
    for option, programs in _PROGRAMS.items():
        if f" {option}" in text:
            yield _by_option(programs, option)
    if " -p" in text or " -hp" in text:
        yield from _WITH_P
    yield from _OTHERS
