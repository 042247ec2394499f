"""A gateway that a team shares starts servers with nobody's credentials."""

from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.errors import NotPermittedError


@requirement("team:credentials:nobodys")
@pytest.mark.parametrize("value", ["${TOKEN}", "${keyring:TOKEN}"])
def test_a_server_that_needs_credentials_is_refused(tmp_path: Path, value: str) -> None:
    gateway = Gateway(tmp_path, {"TOKEN": "annas-own-secret"}, utc_now).shared()
    gateway.add("issues", {"command": "issues", "env": {"ISSUES_TOKEN": value}})

    with pytest.raises(NotPermittedError, match="shared team server has none") as raised:
        gateway.started(gateway.upstream("issues"))

    assert "annas-own-secret" not in str(raised.value)
    assert gateway.logins.names() == []


def test_a_server_without_credentials_is_started(tmp_path: Path) -> None:
    gateway = Gateway(tmp_path, {}, utc_now).shared()
    gateway.add("clock", {"command": "clock", "args": ["--utc"]})

    assert gateway.started(gateway.upstream("clock")) == gateway.upstream("clock")


def test_nothing_is_stored_for_everybody(tmp_path: Path) -> None:
    with pytest.raises(NotPermittedError):
        Gateway(tmp_path, {}, utc_now).shared().secrets.put("TOKEN", "x")
