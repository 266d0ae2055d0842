"""How long it may still take."""

import pytest

from zkagent.executor.bench.progress import Estimate, spoken


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_at_first_the_guesses_stand() -> None:
    assert Estimate(100.0, Clock()).left_s == pytest.approx(100)


def test_a_slower_machine_makes_the_rest_longer() -> None:
    clock = Clock()
    estimate = Estimate(100.0, clock)
    clock.now = 100.0
    estimate.done(50.0)  # twice as long as guessed
    assert estimate.share == 0.5
    assert 80 < estimate.left_s < 100


def test_one_step_that_was_already_done_does_not_promise_the_end() -> None:
    clock = Clock()
    estimate = Estimate(100.0, clock)
    estimate.done(20.0)  # took no time at all
    assert estimate.left_s > 30


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (89, "89 s"), (300, "5 min"), (5400, "1 h 30 min")]
)
def test_times_are_spoken(seconds: float, text: str) -> None:
    assert spoken(seconds) == text
