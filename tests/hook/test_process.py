"""The limits of a hook, and the factor that stretches them."""

import pytest
from tests.requirements import requirement

from recollect.hook.process import VARIABLE, patience


@requirement("hook:deadline:patience")
@pytest.mark.parametrize(
    ("value", "factor"),
    [("1", 1.0), ("10", 10.0), ("2.5", 2.5), ("20", 20.0)],
)
def test_the_limits_of_a_hook_can_be_stretched(value: str, factor: float) -> None:
    assert patience({VARIABLE: value}) == factor


@requirement("hook:deadline:patience")
@pytest.mark.parametrize("value", ["", "0.5", "-3", "21", "nan", "inf", "long"])
def test_a_factor_out_of_bounds_leaves_the_real_limits(value: str) -> None:
    assert patience({VARIABLE: value}) == 1.0
    assert patience({}) == 1.0
