"""`gateway receipts`: what tools cost, and what to switch off."""

from pathlib import Path

from tests.cli.running import Cli
from tests.gateway.tools import tool
from tests.requirements import requirement

from recollect.app.gateway import Gateway, open_gateway
from recollect.gateway.listing import ServerListing
from recollect.gateway.receipts import Receipt


def used_gateway(cli: Cli) -> Gateway:
    """Two servers, of which one was used."""
    gateway = open_gateway(cli.env)
    for server in ("git", "time"):
        gateway.add(server, {"command": "true"})
    gateway.record("git", ServerListing([tool("git:log", "Shows [red]commits.", count="how many")]))
    gateway.record("time", ServerListing([tool("time:now", "What time it is.", zone="an IANA name")]))
    gateway.database.receipts.record(Receipt("git", "log", "ok", 20, 10, 9_000, 400), "2026-02-01")
    gateway.database.receipts.record(Receipt("git", "log", "bad_arguments", 1, 10, 0, 30), "2026-02-02")
    return gateway


@requirement("gateway:receipts:kept")
def test_it_shows_costs_and_what_to_switch_off(cli: Cli) -> None:
    used_gateway(cli)

    out = cli.ok("gateway", "receipts", "--since", "2026-01-01").out

    assert "log" in out
    assert "1 bad arguments" in out
    assert "8,570" in out
    assert "Never called since then: time (" in out


def test_json_has_every_figure(cli: Cli) -> None:
    used_gateway(cli)

    out = cli.ok("gateway", "receipts", "--since", "2026-02-02", "--json").json()

    assert out["since"] == "2026-02-02"
    git, time = out["servers"]
    assert (git["server"], git["calls"], git["by_tool"][0]["bad_arguments"]) == ("git", 1, 1)
    assert out["switch_off"] == [{"server": "time", "schema_tokens": time["schema_tokens"]}]
    assert time["schema_tokens"] > 10


def test_without_servers_it_says_how_to_add_one(cli: Cli) -> None:
    assert "gateway add" in cli.ok("gateway", "receipts").out


def test_what_is_no_date_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = cli("gateway", "receipts", "--since", "yesterday")

    assert done.exit_code != 0
    assert "is not a date" in done.err
