"""What the tests of loops and branches have in common: laws that a function and its plain Python twin must share."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import autodiff
from autodiff import check_tape, eval_tape, grad, jacfwd, jvp, make_tape, vmap
from autodiff.trace.trees.tree import flatten

Fun = Callable[..., Any]

DERIVATIVES: dict[str, Callable[[Fun], Fun]] = {
    "value": lambda f: f,
    "grad": grad,
    "jvp": lambda f: lambda x, *rest: jvp(lambda x: f(x, *rest), (x,), (np.ones_like(x) * 0.5,))[1],
    "jacfwd of grad": lambda f: jacfwd(grad(f)),
    "grad of sum of grad": lambda f: grad(lambda *args: np.sum(grad(f)(*args) ** 2)),
    "grad of jvp": lambda f: grad(lambda x, *rest: DERIVATIVES["jvp"](f)(x, *rest)),
}


def close(got: Any, wanted: Any, what: str) -> None:
    """Two trees with the same dtypes and nearly the same numbers."""
    found, structure = flatten(got)
    expected, its = flatten(wanted)
    assert structure == its, what
    for one, other in zip(found, expected, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype, what
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=what)


def staged(fun: Fun) -> Fun:
    """The function, recorded with shapes only, checked, and run from its tape."""

    def run(*args: Any) -> Any:
        tape = make_tape(fun)(*args)
        check_tape(tape)
        return eval_tape(tape, *args)

    return run


def check_against(fun: Fun, plain: Fun, points: Sequence[tuple[Any, ...]], names: Sequence[str] = ()) -> None:
    """All derivatives of a real function agree with those of plain Python: eagerly, from tapes, in batches.

    Derivatives are taken with respect to the first argument.
    """
    for name in names or DERIVATIVES:
        derivative = DERIVATIVES[name]
        wanted = [derivative(plain)(*args) for args in points]
        recorded = make_tape(fun)(*points[0])
        check_tape(recorded)
        whole = make_tape(derivative(fun))(*points[0])
        check_tape(whole)
        for args, one in zip(points, wanted, strict=True):
            close(derivative(fun)(*args), one, f"{name}, eagerly")
            close(derivative(partial(eval_tape, recorded))(*args), one, f"{name} of a tape")
            close(eval_tape(whole, *args), one, f"tape of {name}")
        batch = [np.stack(column) for column in zip(*points, strict=True)]
        close(vmap(derivative(fun))(*batch), np.stack(wanted), f"vmap of {name}")
    summed = grad(lambda *batch: np.sum(vmap(fun)(*batch)))
    close(summed(*batch), np.stack([grad(plain)(*args) for args in points]), "grad of vmap")


def names_on(tape: autodiff.Tape) -> list[str]:
    """The operations of a tape."""
    return [equation.primitive.name for equation in tape.equations]
