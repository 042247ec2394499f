"""Which part of a prompt is stored."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.redaction.redact import redact
from recollect.working.turns import stored_part


def test_a_prompt_is_stored_without_the_space_around_it() -> None:
    assert stored_part("  rename the column \n", redact).text == "rename the column"
    assert stored_part(" \n", redact).text == ""


def test_no_half_of_a_secret_is_stored_of_a_long_prompt() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\n" + "QUJD" * 900 + "\n-----END RSA PRIVATE KEY-----"
    cut = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A"
    text = stored_part(f"{block}\n" + "x " * ((3_980 - len(block)) // 2) + cut, redact).text

    assert text
    assert "QUJD" not in text
    assert "ghp_" not in text
    assert stored_part("x" * 10_000, redact).text == ""


@requirement("working:store:fail-closed")
def test_an_error_in_the_gate_is_raised_before_anything_is_stored() -> None:
    def broken(text: str) -> tuple[str, list[Any]]:
        raise RuntimeError(f"cannot look at {len(text)} characters")

    with pytest.raises(RuntimeError):
        stored_part("rename the column", broken)
