"""A server that cannot start says why, as every command does."""

from tests.cli.running import Cli

from recollect.app.gateway import open_gateway
from recollect.cli.exits import Exit


def test_a_file_of_servers_that_cannot_be_read_is_named_and_no_fault_of_ours(cli: Cli) -> None:
    file = open_gateway(cli.env).file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{", "utf-8")

    refused = cli("serve", "--http", "--port", "0")

    assert refused.exit_code == Exit.INVALID, refused.err
    assert str(file) in refused.err
    assert "unexpected" not in refused.err
