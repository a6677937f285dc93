"""What loops keep alive in reverse mode, counted in arrays of the size of the carry."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import eval_tape, grad, jvp, make_tape, vjp
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import while_loop

from ..live_arrays import counted

LARGE = np.linspace(-1, 1, 100_000)
LENGTH = 36


def chain(block: Any) -> Callable[[Any], Any]:
    def step(c: Any, _: Any) -> Any:
        return np.sin(np.tanh(c)), None

    return lambda x: scan(step, x, length=LENGTH, checkpoint=block)[0]


def recorded(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    tape = make_tape(fun)(LARGE)
    return lambda x: eval_tape(tape, x)


@pytest.mark.parametrize("run", [lambda f: f, recorded], ids=["eager", "staged"])
@pytest.mark.parametrize(("block", "blocks"), [(4, 9), (9, 4), ("sqrt", 6)])
def test_with_checkpoints_one_carry_a_block_is_kept(run: Any, block: Any, blocks: int) -> None:
    fun = run(chain(block))
    with counted(LARGE) as memory:
        value, pullback = vjp(fun, LARGE)
        del value
        assert memory.held < blocks + 2.1
        memory.reset_peak()
        pullback(LARGE)
        assert memory.peak < 2 * blocks + 3 * LENGTH // blocks + 8
        del pullback
        assert memory.held < 0.1


def test_without_checkpoints_a_loop_in_python_keeps_what_its_operations_keep() -> None:
    with counted(LARGE) as memory:
        value, pullback = vjp(chain(None), LARGE)
        assert memory.held == pytest.approx(LENGTH + 1, abs=0.2)  # the result of tanh is the operand of sin
        del value, pullback
        assert memory.held < 0.1


def test_the_operation_keeps_one_carry_a_step() -> None:
    fun = recorded(chain(None))
    with counted(LARGE) as memory:
        value, pullback = vjp(fun, LARGE)
        del value
        assert memory.held == pytest.approx(LENGTH, abs=2.1)
        pullback(LARGE)
        assert memory.peak < LENGTH + 12
        del pullback
        assert memory.held < 0.1


def test_forward_mode_keeps_nothing() -> None:
    fun = recorded(chain(None))
    with counted(LARGE) as memory:
        jvp(fun, (LARGE,), (LARGE,))
        assert memory.peak < 12


def test_values_alone_keep_nothing() -> None:
    for fun in (chain(None), recorded(chain(None))):
        with counted(LARGE) as memory:
            fun(LARGE)
            assert memory.peak < 6


def test_a_while_loop_on_a_tape_keeps_its_operands_until_it_is_gone_through_backwards() -> None:
    def fun(x: Any) -> Any:
        return np.sum(while_loop(lambda c: c[0] < LENGTH, lambda c: (c[0] + 1, np.sin(np.tanh(c[1]))), (0, x))[1])

    tape = make_tape(grad(fun))(LARGE)
    with counted(LARGE) as memory:
        eval_tape(tape, LARGE)
        assert memory.peak < LENGTH + 12
        assert memory.held < 0.1
