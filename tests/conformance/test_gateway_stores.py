"""What every engine does with the stores of a gateway together: transactions, and the number of changes."""

from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway
from tests.gateway.tools import tool

from recollect.gateway.listing import ServerListing
from recollect.gateway.receipts import Receipt
from recollect.gateway.vault.projection import Projection

AT = "2026-01-01T00:00:00Z"


def test_the_version_grows_with_every_change_that_calls_depend_on(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    stores, reader = open_gateway(tmp_path), open_gateway(tmp_path)
    versions = [reader.version()]
    for change in (
        lambda: stores.catalogue.record("s", ServerListing([tool("s:a")]), AT),
        lambda: stores.pins.first_use("s", [tool("s:a")], "o", AT),
        lambda: stores.pins.accept(tool("s:a"), AT, "me"),
        lambda: stores.policy.put("deny", "s:*"),
        lambda: stores.projections.accept(Projection("s", "a", ("x",)), AT),
        lambda: stores.catalogue.forget("s"),
    ):
        change()
        versions.append(reader.version())

    assert versions == sorted(set(versions))


def test_what_is_written_of_a_call_changes_no_version(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    stores = open_gateway(tmp_path)
    before = stores.version()

    stores.receipts.record(Receipt("s", "a", "ok", 1), "2026-01-01")
    stores.projections.read("s", "a", "x", "one")

    assert stores.version() == before


def test_stores_share_a_transaction_and_an_error_undoes_all_of_it(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    stores = open_gateway(tmp_path)

    def fail_halfway() -> None:
        with stores.transaction():
            stores.policy.put("deny", "s:*")
            stores.receipts.record(Receipt("s", "a", "ok", 1), "2026-01-01")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert (stores.policy.rules(), stores.receipts.uses()) == ([], [])

    with stores.transaction(of_a_call=True):
        stores.receipts.record(Receipt("s", "a", "ok", 1), "2026-01-01")
        stores.receipts.record(Receipt("s", "a", "ok", 1), "2026-01-01")
    assert open_gateway(tmp_path).receipts.uses()[0].calls == 2
