"""Which examples make which step, and how fast it learns."""

import pytest

from quipu_tune.run_folder import Parameters
from quipu_tune.training import Length, Plan


def plan(beginnings: list[str], length: Length) -> Plan:
    """Steps of four examples; a rate of 1."""
    return Plan(beginnings, Parameters(4, 8.0, 0.0, 1.0, 1, 4, 64, 1, 0, "float32"), length)


def test_a_step_takes_examples_that_begin_alike() -> None:
    """All examples of an epoch come once; what fills no step of its own is mixed at the end."""
    beginnings = ["a", "b"] * 8 + ["a", "b", "b"]
    of = plan(beginnings, Length(2, None, 0))
    assert of.steps == 10
    for first in (1, 6):
        steps = [of.examples(step) for step in range(first, first + 5)]
        assert sorted(index for step in steps for index in step) == list(range(19))
        alike = [step for step in steps if len({beginnings[index] for index in step}) == 1]
        assert len(alike) == 4
        assert all(len(step) == 4 for step in alike)
    assert of.examples(1) != of.examples(6)


def test_the_rate_warms_up_stays_and_falls_in_the_last_share() -> None:
    """Without a cool-down it stays."""
    of = plan(["a"] * 4, Length(100, None, 0, cool_down=0.2))
    assert [of.rate(step) for step in (1, 5, 10, 80)] == [0.1, 0.5, 1.0, 1.0]
    assert [of.rate(step) for step in (81, 91, 100)] == pytest.approx([1.0, 0.5, 0.05])
    assert plan(["a"] * 4, Length(100, None, 0)).rate(100) == 1.0
