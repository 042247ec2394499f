"""`gateway login` and `logout`, with a browser that the user has set."""

import sys
from pathlib import Path

from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.keyrings import MemoryKeyring
from tests.requirements import requirement
from tests.upstreams.authorization import protected_server

from recollect.cli.exits import Exit
from recollect.views.gateway_secrets import GatewayLoginOutput

BROWSER = """#!{python}
import sys, httpx2
httpx2.get(sys.argv[1], follow_redirects=True).raise_for_status()
"""


@requirement("gateway:login:keyring")
def test_a_person_logs_in_in_the_browser_and_out_again(
    bare: Cli, tmp_path: Path, memory_keyring: MemoryKeyring
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable))
    browser.chmod(0o700)
    bare.env["BROWSER"] = f"{browser} %s"
    with protected_server() as protected:
        bare.ok("gateway", "add", "hub", "--url", protected.url)
        before = bare("gateway", "test", "hub")
        logged_in = bare.ok("gateway", "login", "hub", "--json")
        bare.ok("gateway", "test", "hub")
        logged_out = bare.ok("gateway", "logout", "hub", "--json")
        after = bare("gateway", "test", "hub")

    assert (before.exit_code, after.exit_code) == (Exit.UPSTREAM, Exit.UPSTREAM)
    assert "recollect gateway login hub" in before.err
    assert "Log in here: http://" in logged_in.err
    assert mismatches(logged_in.json(), GatewayLoginOutput) == []
    assert (logged_in.json()["is_logged_in"], logged_out.json()["is_logged_in"]) == (True, False)
    assert list(memory_keyring.passwords.values()) == ["[]"]
