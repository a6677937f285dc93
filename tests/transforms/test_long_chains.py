"""Long programs: neither recursion nor quadratic work, forwards, backwards, and when everything is freed."""

from typing import Any

import numpy as np

from autodiff import checkpoint, grad, jvp, make_tape, vjp

STEPS = 200_000


def chain(x: Any, steps: int = STEPS) -> Any:
    for _ in range(steps):
        x = x * 1.0
    return x


def test_two_hundred_thousand_operations_backwards() -> None:
    assert grad(chain)(2.0) == 1.0


def test_many_operations_forwards() -> None:
    assert jvp(lambda x: chain(x, 20_000), (2.0,), (1.0,)) == (2.0, 1.0)


def test_freeing_a_long_chain_without_reading_it() -> None:
    value, pullback = vjp(chain, np.ones(1))
    del pullback
    assert value == 1.0


def test_a_ladder_with_two_ways_at_every_step() -> None:
    """Were every path walked, this would take 2**1000 steps."""

    def ladder(x: Any) -> Any:
        for _ in range(1000):
            x = (x + x * 1.0) * 0.5
        return x

    assert grad(ladder)(3.0) == 1.0
    assert grad(checkpoint(ladder))(3.0) == 1.0
    assert grad(grad(lambda x: ladder(x) ** 2))(3.0) == 2.0


def test_a_long_tape() -> None:
    def steps(x: Any) -> Any:
        for _ in range(5000):
            x = x * 1.0
        return x

    tape = make_tape(steps)(1.0)
    assert len(tape.equations) == 5000
    assert hash(tape) == hash(make_tape(steps)(1.0))


def test_a_sum_of_many_uses_of_one_value() -> None:
    def star(x: Any) -> Any:
        total = x * 0.0
        for k in range(5000):
            total = total + x * float(k)
        return total

    assert grad(star)(1.0) == 5000 * 4999 / 2
