"""What is said of objects that are no arrays and numbers of ours: whole texts, at each place where they come in."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff
from autodiff import Variable
from tests.trace.foreign.kinds import KINDS, Doubling, objects
from tests.trace.foreign.libraries import DataArray, Lazy, Own, Quantity, Series, Tensor
from tests.trace.foreign.verdicts import traced_objects

X = np.array([1.0, 2.0, 3.0])
MASKED = KINDS["MaskedArray"](X)
MATRIX = np.eye(3).view(np.matrix)
SERIES, LABELLED, QUANTITY, LAZY, TENSOR, OWN = (
    kind(X) for kind in (Series, DataArray, Quantity, Lazy, Tensor, Own)
)  # fmt: skip
WITH_NONE = KINDS["objects with None"](X)


def of(f):
    return lambda: autodiff.grad(f)(X)


CAME_IN = "an object of type {} came in where arrays and numbers are traced (LINE), and what it computes would not be recorded; {}"
STAND_IN = "tests.trace.foreign.libraries."
FILL = "fill what is masked, x.filled(0.0), or select with np.where(mask, 0.0, x.data)"
ASARRAY = "pass np.asarray(x), and write @ for products"
DIFFERENTIATED = (
    "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is {} (LINE). {}; "
    "leave other arguments out by argnums."
)
RETURNED = (
    "{} needs a function that returns arrays and numbers, but <lambda> returned {} (LINE); {}; with has_aux=True a second "
    "result is passed on"
)
PLAIN = "a traced float64[3] would become a plain NumPy array (LINE) and its derivative would be lost silently. "
STOPPED = "Where no derivative is wanted, wrap the value in autodiff.stop_gradient."
TEXTS = {
    "a masked operand": (
        of(lambda x: np.sum(x * MASKED)),
        CAME_IN.format("numpy.ma.MaskedArray, a subclass of numpy.ndarray with __mul__ of its own,", FILL),
    ),
    "a masked operand on the left": (
        of(lambda x: np.sum(MASKED * x)),
        PLAIN
        + "Masked arrays are not traced: select with np.where(mask, 0.0, x), or sum with np.sum(x, where=~mask). "
        + STOPPED,
    ),
    "a masked operand on the left of a Variable": (
        lambda: MASKED * Variable(X),
        "a Variable would become a plain NumPy array (LINE) and its derivative would be lost silently. Masked arrays are not "
        "traced: select with np.where(mask, 0.0, x), or sum with np.sum(x, where=~mask). Take v.array where no derivative is "
        "wanted.",
    ),
    "a masked operand of a Variable": (
        lambda: Variable(X) * MASKED,
        CAME_IN.format("numpy.ma.MaskedArray, a subclass of numpy.ndarray with __mul__ of its own,", FILL),
    ),
    "a matrix": (
        of(lambda x: np.sum(MATRIX @ x)),
        CAME_IN.format("numpy.matrix, a subclass of numpy.ndarray with __mul__ of its own,", ASARRAY),
    ),
    "a matrix times a Variable": (
        lambda: MATRIX * Variable(X),
        CAME_IN.format("numpy.matrix, a subclass of numpy.ndarray with __mul__ of its own,", ASARRAY),
    ),
    "a subclass with an operator of its own": (
        of(lambda x: np.sum(x + X.view(Doubling))),
        CAME_IN.format(
            "tests.trace.foreign.kinds.Doubling, a subclass of numpy.ndarray with __mul__ of its own,",
            "take its numbers, np.asarray(x)",
        ),
    ),
    "a lazy operand": (
        of(lambda x: np.sum(x * LAZY)),
        CAME_IN.format(f"{STAND_IN}Lazy", "compute its numbers, x.compute()"),
    ),
    "a series in a function of NumPy's": (
        of(lambda x: np.dot(SERIES, x)),
        CAME_IN.format(f"{STAND_IN}Series", "take its numbers, x.to_numpy()"),
    ),
    "a series that is differentiated": (
        lambda: autodiff.grad(np.sum)(SERIES),
        DIFFERENTIATED.format("Series", "Take its numbers, x.to_numpy()"),
    ),
    "a masked array that is differentiated": (
        lambda: autodiff.grad(np.sum)(MASKED),
        DIFFERENTIATED.format("MaskedArray", FILL[0].upper() + FILL[1:]),
    ),
    "a quantity as the result": (
        of(lambda x: np.sum(QUANTITY * x)),
        RETURNED.format("grad", "Quantity", "take its numbers, x.magnitude, in a unit that you choose"),
    ),
    "a labelled array as the result": (
        lambda: autodiff.jvp(lambda x: LABELLED, (X,), (X,)),
        RETURNED.format("jvp", "DataArray", "take its array, x.data"),
    ),
    "text as the result": (
        lambda: autodiff.linearize(lambda x: "x", X),
        "linearize needs a function that returns arrays and numbers, but <lambda> returned str (LINE); with has_aux=True a "
        "second result is passed on",
    ),
    "an array of objects as the result": (
        lambda: autodiff.jacobian(traced_objects)(X),
        "jacobian needs a function that returns arrays and numbers, but traced_objects returned object[3] (LINE); make a traced "
        "array of them, autodiff.numpy.array(x); with has_aux=True a second result is passed on",
    ),
    "traced values in what is passed on": (
        lambda: autodiff.grad(lambda x: (np.sum(x), traced_objects(x)), has_aux=True)(X),
        "an array of dtype object holds traced values (LINE), where arrays of numbers are traced; make a traced array of them, "
        "autodiff.numpy.array(x)",
    ),
    "objects that are no numbers": (
        of(lambda x: np.sum(x * WITH_NONE)),
        "an array of dtype object holds NoneType at [0] (LINE), where arrays of numbers are traced; make numbers of them, "
        "x.astype(float)",
    ),
    "objects that are traced": (
        of(lambda x: np.sum(x * traced_objects(x))),
        "an array of dtype object holds traced values, whose derivatives would be lost (LINE), where arrays of numbers are "
        "traced; make a traced array of them, autodiff.numpy.array(x)",
    ),
    "a number that no dtype holds": (
        of(lambda x: np.sum(x * np.array([2**70, 1.5, 2**60 + 1], dtype=object))),
        "an array of dtype object holds numbers that no dtype holds exactly (LINE), where arrays of numbers are traced; make "
        "numbers of them, x.astype(float)",
    ),
    "an argument of jit": (
        lambda: autodiff.jit(lambda x, k: x * k)(X, TENSOR),
        "jit: <lambda> (LINE) was called with Tensor at args[1] (LINE), which is no array or number; take its numbers, "
        "x.numpy(). Make the argument static (static_argnums, static_argnames) if it only says what to compute; make a list of "
        "numbers an array; take apart what else holds arrays, or register its class with autodiff.register_tree.",
    ),
    "the result of jit": (
        lambda: autodiff.jit(lambda x: LAZY)(X),
        "jit: <lambda> (LINE) returned Lazy (LINE), which is no array or number; compute its numbers, x.compute(). Return "
        "arrays, numbers and None, in tuples, lists, dictionaries and other trees; make what else there is outside.",
    ),
    "the carry of a loop": (
        lambda: autodiff.scan(lambda carry, _: (OWN, None), X, None, length=1),
        "scan works on numbers and arrays, but the carry that <lambda> (LINE) returns holds Own (LINE); take the array out of it",
    ),
    "a cotangent of a rule": (
        lambda: rule_that_returns(SERIES),
        "bwd of sum (LINE) returned the cotangents Series for float64[3]; take its numbers, x.to_numpy()",
    ),
    "a gradient of a Variable": (
        lambda: setattr(Variable(X), "grad", MASKED),
        f"a gradient must be an array, got MaskedArray (LINE); {FILL}",
    ),
    "a Variable": (
        lambda: Variable(objects(X)),
        "an array of dtype object holds Python objects (LINE), where arrays of numbers are traced; make numbers of them, "
        "x.astype(float)",
    ),
    "text as an operand": (
        of(lambda x: np.sum(x * "a")),
        "the operands of multiply must be arrays or numbers, got str (LINE); np.asarray makes an array of numbers",
    ),
    "text as an operand on the left": (
        of(lambda x: np.sum("a" * x)),
        "the operands of multiply must be arrays or numbers, got str (LINE); np.asarray makes an array of numbers",
    ),
    "nothing as an operand": (
        of(lambda x: np.sum(x - None)),
        "the operands of subtract must be arrays or numbers, got NoneType (LINE); is the return of a function missing?",
    ),
}


def rule_that_returns(ct):
    rule = autodiff.custom_vjp(np.sum)
    rule.defvjp(lambda y: (np.sum(y), None), lambda _, g: (ct,))
    return autodiff.grad(rule)(X)


@pytest.mark.parametrize("name", TEXTS)
def test_whole_text(name):
    bad, text = TEXTS[name]
    with pytest.raises(Exception) as error:  # noqa: PT011 - the text is what is tested, whatever the type
        bad()
    found = re.sub(r"\w+\.py:\d+", "LINE", str(error.value))
    assert found == text


def test_an_object_array_that_holds_traced_values_becomes_a_traced_array():
    gradient = autodiff.grad(lambda x: np.sum(autodiff.numpy.array(traced_objects(x)) * x))(X)
    np.testing.assert_array_equal(gradient, 4.0 * X)
    np.testing.assert_array_equal(autodiff.grad(lambda x: np.sum(traced_objects(x) ** 2))(X), 8.0 * X)


def test_a_library_that_can_hold_a_traced_value_gives_it_back():
    for f in (
        lambda x: np.sum((QUANTITY * x).magnitude),
        lambda x: np.sum((x * QUANTITY).magnitude),
        lambda x: (x * LABELLED).sum().data,
        lambda x: np.sum(np.multiply(x, LABELLED).data),
        lambda x: np.sum((x @ OWN).held),
        lambda x: np.sum((OWN @ x).held),
    ):
        np.testing.assert_array_equal(autodiff.grad(f)(X), X)


def test_scipys_minimizer_does_not_take_a_lost_derivative_for_an_optimum():
    from scipy.optimize import minimize

    target = objects(np.array([1.0, 2.5, -1.0]))
    found = minimize(lambda x: np.sum((x - target) ** 2), X, jac=autodiff.grad(lambda x: np.sum((x - target) ** 2)))
    np.testing.assert_allclose(found.x, [1.0, 2.5, -1.0], rtol=1e-6)
