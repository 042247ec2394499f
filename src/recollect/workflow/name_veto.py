"""Does the name of a tool speak against running it before anybody asked? A name forbids, and never permits.

Wrong vetoes cost a little time, so the lists are broad: `get_payment` is vetoed although it may only read.
"""

import re
import unicodedata
from functools import lru_cache

from recollect.gateway.lookalikes import skeleton

# Stems that forbid wherever they stand (`autodeploy`, `readAndDeleteAll`, `removing`).
_LONG = """
    approv archiv assign authori cancel configur creat declin delet deploy destroy disabl discard dismiss
    dispatch enabl enqueu escalat execut import increment insert install invit invok launch modify notify
    overwrit payment persist provision publish purchas reboot refund register remov renam replac reserv
    restart restor revok rollback rotat schedul shutdown submit subscrib suspend terminat transfer trigger
    truncat uninstall unlock updat upgrad upload upsert withdraw
""".split()  # noqa: SIM905
# Stems that forbid where a word of the name begins or ends with them (`sendmail`, `resend`, `writes`).
_SHORT = """
    alter append apply clear clos drop edit emit eras evict exec flush grant kill merg modif move moving mutat
    patch pause purg push reset revert send spawn swap toggl trash unlink unset wipe wiping writ
""".split()  # noqa: SIM905
# Words that forbid only as they stand: in the plural they are things to list (`list_commits`).
_PLAIN = """
    add attach ban bid block book buy call charge checkout claim comment commit copy del detach do email fork
    format give hire lock mail make mark message mv order pay payout pays pin post put react release reply
    retry rm run save scale sell set share ship sign start stop store tag touch trade tweet vote
""".split()  # noqa: SIM905

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS = re.compile(r"[a-z]+")


@lru_cache(maxsize=4096)  # every call of a tool asks
def vetoed_word(name: str) -> str:
    """The word that forbids; the name itself if it cannot be read; empty if nothing speaks against it."""
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    plain = skeleton(spaced)
    if not plain.isascii() or not name.isascii():
        return name  # nobody checked what it says
    parts: list[str] = _LETTERS.findall(plain)
    joined = "".join(parts)
    for word in _LONG:
        if word in joined:
            return word
    for part in parts:
        if part in _PLAIN:
            return part
        for word in _SHORT:
            if part.startswith(word) or part.endswith(word):
                return word
    return ""
