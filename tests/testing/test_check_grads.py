"""check_grads: trees, orders, modes, precision, and refusals."""

from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff.testing import GradientMismatch, Undecided, check_grads

X = np.array([0.5, -1.25, 2.0])


def network(params: dict[str, Any], batch: tuple[Any, Any]) -> dict[str, Any]:
    x, y = batch
    hidden = np.tanh(x * params["w"][0] + params["w"][1])
    return {"loss": np.sum((hidden - y) ** 2), "hidden": hidden, "count": 3}


def arguments(dtype: str) -> tuple[Any, ...]:
    x = X.astype(dtype)
    return {"w": [x, np.asarray(0.3, dtype)]}, (x * 2, x[::-1])


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
def test_trees_of_arguments_and_results(dtype: str) -> None:
    check_grads(network, arguments(dtype))


@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("fwd", "rev"), ["rev", "fwd"]])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_orders_and_modes(order: int, modes: Any) -> None:
    check_grads(lambda x: np.sin(x) * x, (X,), order=order, modes=modes)


def test_whole_numbers_and_python_numbers() -> None:
    check_grads(lambda x, n, s: s * x**n, (X, 3, 0.5))


@pytest.mark.parametrize("args", [(np.zeros(0),), (np.float64(0.5),), (np.array(0.5),), (1 + 2j,)])
def test_empty_arrays_and_scalars(args: Any) -> None:
    check_grads(np.sin, args)


def test_nothing_to_differentiate_is_fine() -> None:
    check_grads(lambda n: n + 1, (np.arange(3),))


def test_the_same_answer_every_time() -> None:
    for _ in range(20):
        check_grads(lambda x: np.exp(np.sin(3 * x)) / x, (X,))


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_values_of_any_magnitude(scale: float) -> None:
    check_grads(lambda x: np.log(abs(x)) * x, (scale * X,))


def zero_slope_of_sin(x: Any) -> Any:
    return np.sin(autodiff.stop_gradient(x)) + 0 * x


def test_a_wrong_gradient_is_found_and_shown() -> None:
    with pytest.raises(GradientMismatch) as error:
        check_grads(zero_slope_of_sin, (X,), order=1, modes=("rev",))
    text = str(error.value)
    assert text.startswith(
        "zero_slope_of_sin breaks the law 'reverse': derivatives are the numerical ones\n"
        "  in         the gradient by args[0]\n"
        "  arrived    np.float64(0.0)\n"
    )
    assert text.endswith(
        "    import numpy as np\n"
        "    from autodiff.testing import check_grads\n"
        "    args = (np.array([0.5, -1.25, 2.0], dtype='float64'),)\n"
        "    check_grads(fun, args, order=1, modes=('rev',), atol=None, rtol=None)"
    )


def test_tolerances_can_be_widened() -> None:
    def almost(x: Any) -> Any:
        return np.sin(x) + 1e-4 * autodiff.stop_gradient(x)

    with pytest.raises(GradientMismatch):
        check_grads(almost, (X,), order=1)
    check_grads(almost, (X,), order=1, rtol=1e-3)
    check_grads(almost, (X,), order=1, atol=1e-3)


def test_a_point_without_numerical_derivative_cannot_be_judged() -> None:
    with pytest.raises(Undecided) as error:
        check_grads(lambda x: np.sqrt(x), (np.zeros(2),), order=1)
    assert str(error.value).startswith("forward mode could not be judged: none of 2 numerical derivatives")


def test_a_lone_array_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        check_grads(np.sin, X)
    assert str(error.value) == (
        "check_grads takes the arguments as a tuple, and ndarray arrived; write (x,) for a single x"
    )


@pytest.mark.parametrize("modes", [(), ("forward",)])
def test_unknown_modes_are_refused(modes: Any) -> None:
    with pytest.raises(ValueError, match="modes are") as error:
        check_grads(np.sin, (X,), modes=modes)
    assert str(error.value) == (f"modes are 'fwd' and 'rev', and {modes!r} arrived; give at least one of the two")
