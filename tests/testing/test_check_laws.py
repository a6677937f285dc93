"""check_laws, laws and check_case: right functions pass, options are obeyed, misuse is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import autodiff
from autodiff.testing import LAWS, Case, GradientMismatch, Undecided, check_case, check_laws, domains, laws

EVERY = ("float64", "float32", "complex128", "complex64")
X = np.array([0.5, -1.25, 2.0])

CASES = [
    Case("tanh", np.tanh, dtypes=EVERY),
    Case("log", np.log, domains.positive, dtypes=EVERY),
    Case("abs", np.abs, domains.kinked_at_zero, dtypes=EVERY),
    Case("conjugate", np.conj, dtypes=EVERY),
    Case("multiply", np.multiply, arity=2, dtypes=EVERY),
    Case("divide", np.divide, (domains.real, domains.nonzero), dtypes=EVERY),
    Case("maximum", np.maximum, arity=2),
    Case("sum", np.sum, dtypes=EVERY),
    Case("largest", np.max, domains.distinct, zero_size=False),
    Case("reversed", lambda x: x[..., ::-1], dtypes=EVERY, zero_dim=False),
    Case("several results", lambda x, y: {"sum": x + y, "parts": [x * 2, np.sin(y)]}, arity=2),
    Case("three operands", lambda x, y, z: x * y + z, arity=3, dtypes=EVERY),
    Case("greater", np.greater, arity=2, order=0),
    Case("staircase", np.floor, domains.real.avoiding(*range(-4, 5))),
    Case("given shapes", lambda x, y: x[0] * y, arity=2, shapes=[((2, 3), (3,)), ((1, 1), ())]),
    Case("drawn shapes", np.sin, shapes=st.just((2, 2))),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_right_functions_keep_every_law(case: Case) -> None:
    check_case(case)


def test_fixed_arguments_of_any_kind() -> None:
    check_laws(lambda p, y: np.tanh(p["x"] * y), ({"x": X}, 2.0))
    check_laws(np.add, (X, np.float32(1)))
    check_laws(lambda x: x, (X,))


def test_the_caller_s_arrays_stay_as_they_are() -> None:
    x = X.copy()
    x.flags.writeable = False
    check_laws(np.exp, (x,))
    assert np.array_equal(x, X)


def test_at_a_kink_only_laws_without_numerical_derivatives_are_checked() -> None:
    check_laws(np.abs, (np.zeros(2),), smooth=False)


def test_a_point_without_numerical_derivative_cannot_be_decided() -> None:
    with pytest.raises(Undecided) as error:
        check_laws(np.sqrt, (np.zeros(2),), only=["forward"])
    assert str(error.value).startswith("the law 'forward' could not be decided: none of 2 numerical derivatives")


def test_a_function_that_can_nowhere_be_decided_is_not_passed() -> None:
    def noisy(x: Any) -> Any:
        return np.sin(1.2345e9 * x * x)

    with pytest.raises(Undecided, match="could not be decided for noisy"):
        laws(noisy, name="noisy", domain=domains.nonzero, only=["forward"], scalars=False, shapes=[(2,)])


def test_assumptions_inside_of_the_function_are_hypothesis_s_business() -> None:
    def guarded(x: Any) -> Any:
        assume(np.shape(x) != (3,))
        return np.sin(x)

    laws(guarded, shapes=st.sampled_from([(2,), (3,)]))


def test_only_and_skip() -> None:
    broken = [law for law in LAWS if law not in ("spec", "replay", "batch")]

    def different_when_traced(x: Any) -> Any:
        return np.sin(x) * (1 if isinstance(x, np.ndarray | float) else 2)

    check_laws(different_when_traced, (X,), skip=["replay", "batch", *broken])
    with pytest.raises(GradientMismatch):
        check_laws(different_when_traced, (X,), only=["replay"])


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(ValueError, match="no law") as error:
        check_laws(np.sin, (X,), skip=["second"])
    assert str(error.value) == f"there is no law named 'second'; the laws are {', '.join(LAWS)}"


def test_a_lone_array_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        check_laws(np.sin, X)
    assert str(error.value) == (
        "check_laws takes the arguments as a tuple, and ndarray arrived; write (x,) for a single x"
    )


def test_a_function_that_changes_its_argument_is_refused() -> None:
    def careless(x: Any) -> Any:
        x *= 2
        return x

    with pytest.raises(ValueError, match="careless") as error:
        check_laws(careless, (X.copy(),), name="careless")
    assert str(error.value) == (
        "careless itself changes args[0] when it is called with plain arrays; no law can be checked of a "
        "function that does. Let it work on a copy"
    )


def test_what_the_function_itself_raises_comes_through_with_its_arguments() -> None:
    with pytest.raises(np.linalg.LinAlgError) as error:
        check_laws(np.linalg.inv, (np.zeros((2, 2)),), name="inv")
    assert error.value.__notes__ == [
        "inv itself raised this, called with plain arrays: "
        "args = (np.array([[0.0, 0.0], [0.0, 0.0]], dtype='float64'),)"
    ]


def test_a_skipped_law_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="reason") as error:
        Case("sin", np.sin, skip={"batch": ""})
    assert str(error.value) == "the case 'sin' skips the law 'batch' without a reason; say why it fails"


def test_one_domain_for_each_operand() -> None:
    with pytest.raises(ValueError, match="operands") as error:
        Case("add", np.add, (domains.real,), arity=2)
    assert str(error.value) == (
        "the case 'add' has 2 operands, and 1 domains arrived; give one for all operands, or one for each"
    )


def test_the_whole_text_of_a_mismatch() -> None:
    def doubled_when_traced(x: Any) -> Any:
        return x * (1 if isinstance(x, np.ndarray) else 2)

    with pytest.raises(GradientMismatch) as error:
        check_laws(doubled_when_traced, (np.array([0.5, -1.25], "float32")[::-1],), name="doubled", only=["value"])
    line = doubled_when_traced.__code__.co_firstlineno
    origin = f"{doubled_when_traced.__qualname__} from test_check_laws.py:{line}"
    assert str(error.value) == (
        "doubled breaks the law 'value': Under vjp and jvp the value is that of plain arrays, "
        "and so are its dtype, shape and scalar-ness.\n"
        "  in         the value under vjp, result 0\n"
        "  arrived    np.float32(-2.5)\n"
        "  expected   np.float32(-1.25)\n"
        "  error      1.25 at index (0,), the largest of 2 in 2 elements\n"
        "  allowed    5.96e-07\n"
        f"To see it again, with fun = {origin}:\n"
        "    import numpy as np\n"
        "    from autodiff.testing import check_laws\n"
        "    args = (np.array([0.5, -1.25], dtype='float32')[::-1],)\n"
        "    check_laws(fun, args, only=('value',))"
    )


def test_a_rule_is_not_taken_for_the_function_that_has_it() -> None:
    @autodiff.custom_vjp
    def zero_below(x: Any) -> Any:
        return np.where(x > 0, x, 0.0)

    zero_below.defvjp(lambda x: (zero_below(x), x), lambda x, g: (g,))
    with pytest.raises(GradientMismatch) as error:
        check_laws(zero_below, (np.array([-0.5]),), only=["forward"])
    line = zero_below.fun.__code__.co_firstlineno
    assert f"with fun = custom_vjp of {zero_below.__qualname__} from test_check_laws.py:{line}:" in str(error.value)
    assert error.value.detail == (
        "  in         result 0\n"
        "  arrived    np.float64(-0.5)\n"
        "  expected   np.float64(0.0)\n"
        "  error      0.5 at index (0,), the largest of 1 in 1 elements\n"
        "  allowed    1e-290\n"
        "  because    the numerical derivative and the values vanish: no digits are lost"
    )


def test_lost_digits_say_more_than_a_wrong_derivative() -> None:
    tanh = autodiff.custom_vjp(np.tanh)
    tanh.defvjp(lambda x: (tanh(x), x), lambda x, g: (g * (1 - np.tanh(np.float32(x)).astype(x.dtype) ** 2),))
    with pytest.raises(GradientMismatch) as error:
        laws(tanh, dtypes=("float64",), shapes=[(2,), (3,)], order=1, batch=False, skip=("replay",), name="tanh")
    assert error.value.law == "digits"


def test_the_reproduction_can_be_pasted() -> None:
    def wrong(x: Any) -> Any:
        return x * (1 if isinstance(x, np.ndarray | np.generic | float) else 2)

    with pytest.raises(GradientMismatch) as first:
        laws(wrong, only=["value"])
    lines = str(first.value).partition("To see it again")[2].splitlines()[1:]
    with pytest.raises(GradientMismatch) as second:
        exec("\n".join(line.strip() for line in lines), {"fun": wrong})
    assert second.value.detail == first.value.detail


def test_runs_are_repeatable() -> None:
    seen: list[list[Any]] = []
    for _ in range(2):
        values: list[Any] = []

        def noted(x: Any, values: list[Any] = values) -> Any:
            if not isinstance(x, autodiff.trace.tracer.Tracer):
                values.append(np.asarray(x).tobytes())
            return +x

        laws(noted, name="noted", only=["spec"], order=0, batch=False, max_examples=10)
        seen.append(values)
    assert seen[0] == seen[1]


def test_a_function_that_takes_numbers_out_is_no_function_that_looks_at_values():
    with pytest.raises(GradientMismatch) as error:
        laws(lambda x: np.sum(np.sin([float(v) for v in np.ravel(x)])), shapes=[(2,)], name="by numbers")
    assert error.value.law == "value"
    assert "raised     ConcretizationError: a traced float64" in error.value.detail
    branch = laws(lambda x: x * x if np.sum(x) > 0.1234567 else -x, name="branch")
    assert set(branch.unstaged) <= {"spec", "replay", "compiled", "batch", "compiled gradient", "batch of gradient"}
    assert {"forward", "reverse", "adjoint", "forward over reverse"} <= set(branch.decided)


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)


@pytest.mark.parametrize("fun", [np.sum, np.sort, softmax, lambda x: x / np.sqrt(np.mean(x * x) + 1)])
def test_half_precision_is_tried_where_that_is_asked_for(fun):
    found = laws(fun, dtypes=("float16", "float32"), shapes=[(3,), (2, 3), (3, 3)], max_examples=10, name="fun")
    assert found.decided["precision"] > 5
