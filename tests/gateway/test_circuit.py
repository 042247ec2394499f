"""When a server that failed may be started again."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.gateway.circuit import Circuit
from recollect.gateway.weights import BREAKER_FAILURES, BREAKER_MEMORY, BREAKER_REST


def failing(*times: float) -> Circuit:
    circuit = Circuit()
    for time in times:
        circuit = circuit.failed(time)
    return circuit


def test_a_server_without_failures_is_started_at_once() -> None:
    assert (Circuit().wait(7.0), Circuit().state(7.0)) == (0.0, "closed")


def test_the_pause_doubles_with_each_failure() -> None:
    pauses = [failing(*[0.0] * number).wait(0.0) for number in (1, 2, 3, 4)]

    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_the_pause_counts_from_the_last_failure() -> None:
    assert failing(0.0, 10.0).wait(10.5) == 0.5


def test_five_failures_open_the_breaker_for_a_minute_and_one_more_opens_it_again() -> None:
    circuit = failing(1.0, 2.0, 3.0, 4.0, 5.0)

    assert circuit.state(5.0) == "open"
    assert circuit.wait(5.0) == BREAKER_REST
    assert circuit.state(5.0 + BREAKER_REST) == "half-open"
    assert circuit.wait(5.0 + BREAKER_REST) == 0.0
    again = circuit.failed(66.0)
    assert (again.state(66.0), again.wait(66.0)) == ("open", BREAKER_REST)


def test_a_failure_is_forgotten_with_time() -> None:
    circuit = failing(*range(5))

    assert circuit.state(4 + BREAKER_MEMORY) == "closed"
    assert circuit.wait(4 + BREAKER_MEMORY) == 0.0
    assert circuit.count(4 + BREAKER_MEMORY) == 0


@given(st.lists(st.floats(0, 1e6), max_size=40), st.floats(0, 1e6))
def test_a_circuit_remembers_little_and_never_waits_longer_than_a_rest(
    times: list[float], later: float
) -> None:
    circuit = failing(*sorted(times))
    now = max(times, default=0.0) + later

    assert len(circuit.failures) <= BREAKER_FAILURES
    assert 0.0 <= circuit.wait(now) <= BREAKER_REST
    assert (circuit.state(now) == "open") <= (circuit.wait(now) > 0.0)
