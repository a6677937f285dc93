"""What cannot be differentiated: each program is refused with the user's line and a remedy, in every transformation."""

from __future__ import annotations

import functools
import math
import pickle
import re

import numpy as np
import pytest
from scipy import integrate, special

from autodiff import grad, jvp, stop_gradient, vjp, vmap
from autodiff.trace.errors import ConcretizationError, DifferentiationError, LeakedTracerError, OperandError

V = np.array([0.9, -0.4, 1.3, 0.25])

COLLECT = (
    "Make an array of traced values with autodiff.numpy.array([[a, b], [c, d]]), np.array(..., like=x) of a traced x, "
    "np.stack, np.concatenate or np.block, or assign them into np.zeros_like(x) or np.zeros(n, like=x). "
)
CONVERTED = (
    "A traced array needs no np.asarray(x), though isinstance(x, np.ndarray) is False for it; pass an argument that is "
    "a list of numbers as an array. "
)
COMPUTED = "Call NumPy's functions in place of those of math; print with f'{x:.3f}' in place of '%.3f' % x. "
OF_SCIPY = (
    "{module} makes plain arrays of what it is given: call autodiff.{module}, whose functions have the same names and take "
    "traced values, or say that they cannot; give others a rule with custom_vjp or custom_jvp. "
    "To run a program as it stands put @autodiff.differentiable on the function, or run python -m autodiff script.py. "
)
SWITCH = (
    "To run a program as it stands put @autodiff.differentiable on the function, or run python -m autodiff script.py. "
)
OF_STRIDES = (
    "np.lib.stride_tricks.as_strided shows memory, which traced arrays have none of: take windows with "
    "np.lib.stride_tricks.sliding_window_view(x, length), every other one by [::2], and repeat with np.broadcast_to. "
)
OF_MATRIX = "np.matrix is not traced: work with arrays of two axes, and write @ for products. "
OF_MASKED = "Masked arrays are not traced: select with np.where(mask, 0.0, x), or sum with np.sum(x, where=~mask). "


def lost(shape, wanted, remedy=None):
    """What is said where a traced value would become plain."""
    found = COLLECT + (CONVERTED if "array" in wanted else COMPUTED) + SWITCH if remedy is None else remedy
    return (
        f"a traced float64{shape} would become {wanted} (HERE) and its derivative would be lost silently. {found}Where no "
        "derivative is wanted, wrap the value in autodiff.stop_gradient."
    )


WRITTEN = (
    "a traced float64{shape} would be written into a plain array (HERE), by out=, +=, np.copyto or "
    "np.full_like, and its "
    "derivative would be lost. Write a = a + x in place of a += x, leave out= away, or make the array with "
    "np.zeros_like(x) of a traced x. To run a program as it stands put @autodiff.differentiable on the function, or run "
    "python -m autodiff script.py."
)
PUT = (
    "a traced value would be written into a plain array (HERE) and its derivative would be lost; make the array with "
    "np.zeros_like(x) of a traced x (got float64[4])"
)
NO_RULE = (
    "{name} cannot be called with a traced value (HERE): it has no derivative rule here. Compose it "
    "of other functions, "
    "give it a rule with custom_vjp or custom_jvp, or, where no derivative is wanted, pass stop_gradient(x)."
)
FLOAT = lost("[]", "float")
NUMBER = lost("[]", "a plain NumPy array")
ARRAY = lost("[4]", "a plain NumPy array")


def buffer(write):
    """A program that makes a plain array, writes to it and returns it."""

    def program(x):
        b = np.zeros(4)
        write(b, x)
        return b

    return program


def add_in_place(b, x):
    b += x


def set_item(key, part):
    def write(b, x):
        b[key] = x[part]

    return write


TEXT = (
    "the text '{text}' of a traced number would become {kind} (HERE) and its derivative would be lost silently. Take the "
    "number itself, np.round(x, digits) of it to round. Where no derivative is wanted, write autodiff.stop_gradient(x)."
)

# Programs that lose a derivative: the same text under grad, vjp and jvp.
LOSING = {
    "math": (lambda x: math.sin(x[0]), FLOAT),
    "math_pow": (lambda x: math.pow(x[0], 2), FLOAT),
    "math_fsum": (lambda x: math.fsum(x), FLOAT),
    "float": (lambda x: float(x[0]) * 2, FLOAT),
    "int": (lambda x: x * int(x[0]), lost("[]", "int")),
    "complex": (lambda x: complex(x[0]), lost("[]", "complex")),
    "text": (
        lambda x: x * float(f"{x[0]:.1f}"),
        TEXT.format(text="0.9", kind="float"),
    ),
    "part_of_a_text": (lambda x: x * float(str(x[0])[:3].rstrip("0")), TEXT.format(text="0.9", kind="float")),
    "parts_of_a_text": (lambda x: x * float(str(x).strip("[ ]").split()[0]), TEXT.format(text="0.9", kind="float")),
    "integer_of_a_text": (lambda x: x * int(f"{x[0]:.0f}"), TEXT.format(text="1", kind="int")),
    "percent_format": (lambda x: len("%.3f" % x[0]) * x, FLOAT),  # noqa: UP031
    "percent_text": (lambda x: x * float("%.1f" % x[0]), FLOAT),  # noqa: UP031
    "index": (lambda x: V[x[0]], NUMBER),
    "slice_bound": (lambda x: x[: x[0]], lost("[]", "an index")),
    "asarray": (lambda x: np.asarray(x), ARRAY),
    "array": (lambda x: np.array(x), ARRAY),
    "array_of_list": (lambda x: np.array([x[0], x[1]]), NUMBER),
    "array_of_nested_list": (lambda x: np.array([[x[0], 0.0], [0.0, x[1]]]), NUMBER),
    "array_of_objects": (lambda x: np.array([x[0]], dtype=object), NUMBER),
    "float64": (lambda x: np.float64(x[0]), NUMBER),
    "full": (lambda x: np.full(3, x[0]), NUMBER),
    "arange": (lambda x: np.arange(0, x[0], 0.2), NUMBER),
    "sum_of_list": (lambda x: np.sum([x[0], x[1]]), NUMBER),
    "mean_of_comprehension": (lambda x: np.mean([v**2 for v in x]), NUMBER),
    "dot_of_list": (lambda x: np.dot([x[0], x[1]], [1.0, 2.0]), NUMBER),
    "sqrt_of_list": (lambda x: np.sqrt([x[0], x[1]]), NUMBER),
    "det_of_list": (lambda x: np.linalg.det([[x[0], 1.0], [2.0, x[1]]]), NUMBER),
    "maximum_reduce_of_list": (lambda x: np.maximum.reduce([x, x**2]), ARRAY),
    "fromiter": (lambda x: np.fromiter((v for v in x), float), FLOAT),
    "r_": (lambda x: np.r_[x, 1.0], ARRAY),
    "c_": (lambda x: np.c_[x, x], ARRAY),
    "mgrid": (lambda x: np.mgrid[0 : 1 : x[0]], NUMBER),
    "polynomial": (lambda x: np.polynomial.Polynomial(x)(2.0), ARRAY),
    "masked_array": (lambda x: np.ma.array(x, mask=[0, 1, 0, 0]).sum(), lost("[4]", "a plain NumPy array", OF_MASKED)),
    "vectorize": (lambda x: np.vectorize(lambda t: t**2)(x), ARRAY),
    "nditer": (lambda x: sum(v * 1 for v in np.nditer(x)), ARRAY),
    "ndenumerate": (lambda x: sum(v for _, v in np.ndenumerate(x)), ARRAY),
    "as_strided": (
        lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)),
        lost("[4]", "a plain NumPy array", OF_STRIDES),
    ),
    "random_location": (lambda x: np.random.default_rng(0).normal(x, 1.0), ARRAY),
    "random_permutation": (lambda x: np.random.default_rng(0).permutation(x), ARRAY),
    "quad": (
        lambda x: integrate.quad(lambda t: t * x[0], 0, 1)[0],
        lost("[]", "float", OF_SCIPY.format(module="scipy.integrate")),
    ),
    "scipy_logsumexp": (
        lambda x: special.logsumexp(x),
        lost("[4]", "a plain NumPy array", OF_SCIPY.format(module="scipy.special")),
    ),
    "scipy_softmax": (
        lambda x: special.softmax(x),
        lost("[4]", "a plain NumPy array", OF_SCIPY.format(module="scipy.special")),
    ),
    "plain_item": (buffer(set_item(0, 0)), FLOAT),
    "plain_slice": (buffer(set_item(slice(None), slice(None))), ARRAY),
    "plain_mask": (buffer(set_item(V > -1, slice(None))), ARRAY),
    "plain_fill": (buffer(lambda b, x: b.fill(x[0])), FLOAT),
    "plain_integers": (lambda x: set_item(0, 0)(np.zeros(4, int), x), lost("[]", "int")),
    "plain_in_place": (buffer(add_in_place), WRITTEN.format(shape="[4]")),
    "plain_out": (buffer(lambda b, x: np.sin(x, out=b)), WRITTEN.format(shape="[4]")),
    "plain_out_of_sum": (lambda x: np.sum(x, out=np.zeros(())), WRITTEN.format(shape="[]")),
    "plain_out_of_cumsum": (buffer(lambda b, x: np.cumsum(x, out=b)), WRITTEN.format(shape="[4]")),
    "plain_copyto": (buffer(lambda b, x: np.copyto(b, x)), WRITTEN.format(shape="[4]")),
    "plain_full_like": (lambda x: np.full_like(V, x[0]), WRITTEN.format(shape="[]")),
    "plain_add_at": (buffer(lambda b, x: np.add.at(b, [0, 1, 2, 3], x)), PUT),
    "plain_put": (buffer(lambda b, x: np.put(b, [0, 1], x[:2])), PUT),
    "plain_place": (buffer(lambda b, x: np.place(b, V > 0, x)), PUT),
    "plain_putmask": (buffer(lambda b, x: np.putmask(b, V > 0, x)), PUT),
    "pickled": (
        lambda x: pickle.loads(pickle.dumps(x)),
        "a traced float64[4] would be pickled (HERE), and its derivative would be lost; save "
        "autodiff.stop_gradient(x), "
        "or the results of the transformation",
    ),
}

# Programs that ask for what is not there.
ASKING = {
    "frompyfunc": (
        lambda x: np.frompyfunc(square, 1, 1)(x),
        DifferentiationError,
        NO_RULE.format(name="square (vectorized)"),
    ),
    "unknown_ufunc": (lambda x: special._ufuncs._factorial(x), DifferentiationError, NO_RULE.format(name="_factorial")),
    "save": (lambda x: np.save("nowhere.npy", x), DifferentiationError, NO_RULE.format(name="np.save")),
    "dictionary_key": (
        lambda x: {x[0]: 1},
        TypeError,
        "unhashable type: a traced float64[] (HERE) cannot be a key of a dictionary, an element of a set, or an "
        "argument of a cached function; use a name or a position as the key",
    ),
    "cached_function": (
        lambda x: functools.lru_cache(square)(x[0]),
        TypeError,
        "unhashable type: a traced float64[] (HERE) cannot be a key of a dictionary, an element of a set, or an "
        "argument of a cached function; use a name or a position as the key",
    ),
    "float_index": (
        lambda x: x[1.0],
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
        "indices, got 1.0 (HERE)",
    ),
    "float_array_index": (
        lambda x: x[x],
        IndexError,
        "arrays used as indices must be of integer (or boolean) type, got float64[4] (HERE)",
    ),
    "index_out_of_bounds": (lambda x: x[7], IndexError, "index 7 is out of bounds for axis 0 with size 4 (HERE)"),
    "too_many_indices": (
        lambda x: x[0, 0],
        IndexError,
        "too many indices for array: array is 1-dimensional, but 2 were indexed (HERE)",
    ),
    "shapes_do_not_broadcast": (
        lambda x: x + np.ones(3),
        OperandError,
        "add(float64[4], float64[3]) (HERE): operands could not be broadcast together with shapes (4,) (3,) ",
    ),
    "assigned_shape": (
        lambda x: x[:2].__setitem__(slice(None), x),
        OperandError,
        "could not broadcast input array from shape (4,) into shape (2,) (HERE)",
    ),
    "assigned_complex": (
        lambda x: x.copy().__setitem__(0, 1j),
        TypeError,
        "a complex value cannot be assigned into float64 (HERE); take its real part",
    ),
    "read_only": (
        lambda x: np.broadcast_to(x, (2, 4)).__setitem__(0, 1.0),
        ValueError,
        "assignment destination is read-only (HERE): it shows part of another array, as np.broadcast_to and "
        "np.diagonal do; assign to that array",
    ),
    "shape_attribute": (
        lambda x: setattr(x, "shape", (2, 2)),
        AttributeError,
        "the shape of a traced array cannot be assigned to (HERE); write x = x.reshape(2, 2)",
    ),
    "memory_attribute": (
        lambda x: x.strides,
        AttributeError,
        "traced arrays have no 'strides' (HERE): it would show memory that is not traced; pass "
        "autodiff.stop_gradient(x) "
        "where no derivative is wanted",
    ),
    "resize_method": (
        lambda x: x.copy().resize(2, 2),
        AttributeError,
        "traced arrays have no 'resize' (HERE): use np.resize, or np.reshape",
    ),
    "bytes_of_another_dtype": (
        lambda x: x.view(np.int64),
        TypeError,
        "the bytes of a traced array cannot be seen as another dtype (HERE); use astype to convert values",
    ),
    "subclass": (
        lambda x: x.view(np.matrix),
        TypeError,
        "a traced float64[4] cannot become an array of the class matrix (HERE): NumPy would keep its numbers alone. Let "
        "the class have the array as an attribute, self.array = x, in place of deriving from np.ndarray",
    ),
    "ufunc_where_without_out": (
        lambda x: np.log(x, where=x > 0),
        DifferentiationError,
        "np.log(where=...) without out= leaves elements uninitialised (HERE); use np.where on the result",
    ),
}

# Programs for whose results the values would have to be known: refused where only shapes are.
ABSTRACT = {
    "branch": lambda x: x if x[0] > 0 else -x,
    "branch_any": lambda x: x if np.any(x > 1) else -x,
    "while": lambda x: halved(x),
    "builtin_max": lambda x: max(x),
    "builtin_sorted": lambda x: sorted(x)[0],
    "mask": lambda x: x[x > 0],
    "nonzero": lambda x: x[np.nonzero(x > 0)],
    "round": lambda x: x * round(x[0]),
    "emath": lambda x: np.emath.sqrt(x),
    "index_of_plain_array": lambda x: V[np.argmax(x)],
}


def square(x):
    return x * x


def halved(x):
    while np.abs(x).max() > 0.1:
        x = x / 2
    return x


def here(error):
    """The text of an error, without the number of the line."""
    return re.sub(r"\(test_refusals\.py:\d+\)", "(HERE)", str(error.value))


@pytest.mark.parametrize("name", LOSING)
def test_a_derivative_is_never_lost(name):
    function, text = LOSING[name]
    for run in (lambda: vjp(function, V), lambda: jvp(function, (V,), (V,)), lambda: grad(grad(function))(V)):
        with pytest.raises(ConcretizationError) as error:
            run()
        assert here(error) == text


@pytest.mark.parametrize("name", ASKING)
def test_what_is_not_there_is_said(name):
    function, kind, text = ASKING[name]
    for run in (lambda: vjp(function, V), lambda: jvp(function, (V,), (V,))):
        with pytest.raises(kind) as error:
            run()
        assert here(error) in (
            text,
            f"cannot use 'autodiff.trace.tracer.Tracer' as a dict key ({text})",
        )  # from 3.14 on


@pytest.mark.parametrize("name", ABSTRACT)
def test_values_are_not_known_under_vmap(name):
    vjp(ABSTRACT[name], V)
    with pytest.raises(ConcretizationError, match=r"\(test_refusals\.py:\d+\)"):
        vmap(ABSTRACT[name])(np.stack([V, V]))


def test_a_traced_value_that_is_kept_is_refused_later():
    kept = []
    grad(lambda x: kept.append(x) or np.sum(x))(V)
    with pytest.raises(LeakedTracerError) as error:
        np.sin(kept[0])
    assert here(error) == (
        "sin: a traced value was used after the derivative (grad, vjp, ...) that made it had ended "
        "(HERE). Return it from "
        "the function that is transformed; do not keep it in a global, an attribute or a closure."
    )


def test_no_missing_attribute_is_invented():
    with pytest.raises(AttributeError, match=r"^'Tracer' object has no attribute 'no_such_name'$"):
        grad(lambda x: x.no_such_name)(V)


def test_stop_gradient_is_the_remedy():
    def program(x):
        scale = float(stop_gradient(x[0]))
        return np.sum(np.array(stop_gradient(x)) * x) * scale

    np.testing.assert_allclose(grad(program)(V), V * V[0])


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrices_are_refused_by_name():
    with pytest.raises(ConcretizationError) as error:
        vjp(lambda x: np.matrix(x), V)
    assert here(error) == lost("[4]", "a plain NumPy array", OF_MATRIX)
