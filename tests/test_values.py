"""Values: frozen, compared by what they hold, cheap to define."""

import pickle
import subprocess
import sys

import pytest

from recollect.values import Frozen, replaced


class Point(Frozen):
    """A place."""

    x: int
    y: int = 0
    names: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


class Other(Frozen):
    """As many fields, and another thing."""

    x: int
    y: int = 0
    names: tuple[str, ...] = ()


def test_a_value_takes_its_fields_by_place_by_name_and_from_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1).names) == (1, 0, ())
    assert Point(1, 2, ("a",)) == Point(names=("a",), y=2, x=1)
    assert Point(1, y=2).total == 3
    assert repr(Point(1)) == "Point(x=1, y=0, names=())"


def test_values_are_equal_when_they_are_of_one_kind_and_hold_the_same() -> None:
    assert Point(1) == Point(1)
    assert hash(Point(1)) == hash(Point(1))
    assert Point(1) != Point(2)
    other: object = Other(1)
    assert Point(1) != other
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_a_value_cannot_be_changed_or_given_more() -> None:
    point = Point(1)
    for name in ("x", "nothing"):
        with pytest.raises(AttributeError, match="a value is immutable"):
            setattr(point, name, 2)
        with pytest.raises(AttributeError, match="a value is immutable"):
            delattr(point, name)
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 2}), ((1,), {"z": 3}), ((), {"y": 1})],
)
def test_a_value_made_with_the_wrong_fields_is_an_error_that_names_them(
    given: tuple[object, ...], named: dict[str, object]
) -> None:
    make: type = Point
    with pytest.raises(TypeError, match="Point"):
        make(*given, **named)


def test_replacing_a_field_leaves_the_original_alone() -> None:
    before = Point(1, 2)

    assert replaced(before, y=5) == Point(1, 5)
    assert before == Point(1, 2)


def test_a_value_matches_by_place_and_survives_pickling() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)


def test_defining_a_value_loads_neither_dataclasses_nor_typing() -> None:
    """Both cost a prompt several milliseconds."""
    code = "import sys; import recollect.values; print('dataclasses' in sys.modules, 'typing' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["False", "False"]
