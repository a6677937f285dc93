"""Bad input: the whole text of an error for each kind, with the user's file and line."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff
from autodiff import Variable

X = np.ones(3)
M = np.ones((2, 3))


def leak():
    kept = []
    autodiff.grad(lambda x: (kept.append(x), x * x)[1])(1.0)
    return kept[0] * 2


NOT_NUMBERS = "Pass 3.0 in place of 3, x.astype(float) in place of integers; leave other arguments out by argnums."
NOT_NUMBERS_INSIDE = NOT_NUMBERS.replace(
    "other arguments out by argnums", "other leaves out by autodiff.tree.partition"
)
ERRORS = {
    "not a scalar": (
        lambda: autodiff.grad(lambda x: x * 2)(X),
        "grad needs a function that returns one real number, but <lambda> returned float64[3] (LINE). Sum the result, take "
        "its real part, or use vjp or jacobian; with has_aux=True a second result is passed on.",
    ),
    "no return": (
        lambda: autodiff.grad(lambda x: None)(X),
        "grad needs a function that returns one real number, but <lambda> returned None (LINE). Is a return missing?",
    ),
    "a count": (
        lambda: autodiff.value_and_grad(lambda x: np.sum(x > 0))(X),
        "value_and_grad needs a function that returns one real number, but <lambda> returned int64[] (LINE). Whole numbers "
        "and truth values have no derivative: leave out what makes them, such as astype(int), argmax and comparisons.",
    ),
    "integers": (
        lambda: autodiff.grad(np.sum)(np.arange(3)),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is int64[3] "
        f"(LINE). {NOT_NUMBERS}",
    ),
    "an integer in a tree": (
        lambda: autodiff.grad(lambda p: p["a"][0])({"a": [1.0, 2], "b": 3.0}),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0['a'][1] is "
        f"int (LINE). {NOT_NUMBERS_INSIDE}",
    ),
    "a dtype that has no derivative": (
        lambda: autodiff.grad(np.sum)(np.array(["2020-01-01"], "M8[D]")),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is "
        f"datetime64[D][1] (LINE). {NOT_NUMBERS}",
    ),
    "objects": (
        lambda: autodiff.grad(np.sum)(np.array([1.0, None], object)),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is "
        "object[2] (LINE). Make numbers of them, x.astype(float); leave other arguments out by argnums.",
    ),
    "an integer at another position": (
        lambda: autodiff.jacobian(lambda a, b: a, argnums=1)(X, 1),
        "jacobian differentiates with respect to real or complex floating-point numbers and arrays, but argument 1 is int "
        f"(LINE). {NOT_NUMBERS}",
    ),
    "an integer in a tree at another position": (
        lambda: autodiff.grad(lambda a, b: a, argnums=(2, 1))(X, {"w": [1]}, 1.0),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 1['w'][0] is int "
        f"(LINE). {NOT_NUMBERS_INSIDE}",
    ),
    "an integer by name": (
        lambda: autodiff.hessian(lambda a, b: a, argnames="b")(X, b=1),
        "hessian differentiates with respect to real floating-point numbers and arrays, but argument 'b' is int "
        f"(LINE). {NOT_NUMBERS}",
    ),
    "nothing": (
        lambda: autodiff.grad(lambda x: x * 2)(None),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is NoneType "
        f"(LINE). {NOT_NUMBERS}",
    ),
    "primals that are no tuple": (
        lambda: autodiff.hvp(np.sum, X, X),
        "hvp takes the primals and the tangents each as a tuple, got ndarray and ndarray (LINE); write hvp(f, (x,), (v,))",
    ),
    "a primal that is a number": (
        lambda: autodiff.jvp(np.sin, 1.0, (1.0,)),
        "jvp takes the primals and the tangents each as a tuple, got float and tuple (LINE); write jvp(f, (x,), (v,))",
    ),
    "a rule for a function without a name": (
        lambda: autodiff.custom_vjp(lambda x: x)(1.0),
        "<lambda> (LINE) is a custom_vjp without a rule (LINE); bind it to a name, f = custom_vjp(...), and call "
        "f.defvjp(fwd, bwd) before the function",
    ),
    "a list of traced numbers": (
        lambda: autodiff.grad(lambda x: np.sum(np.asarray(x)))([1.0, 2.0]),
        "a traced float would become a plain NumPy array (LINE) and its derivative would be lost silently. Make an array of "
        "traced values with autodiff.numpy.array([[a, b], [c, d]]), np.array(..., like=x) of a traced x, np.stack, "
        "np.concatenate or np.block, or assign them into np.zeros_like(x) or np.zeros(n, like=x). A traced array needs no "
        "np.asarray(x), though isinstance(x, np.ndarray) is False for it; pass an argument that is a list of numbers as an "
        "array. To run a program as it stands put @autodiff.differentiable on the function, or run python -m autodiff "
        "script.py. Where no derivative is wanted, wrap the value in autodiff.stop_gradient.",
    ),
    "argnums": (
        lambda: autodiff.grad(np.sum, argnums=1)(X),
        "grad: argnums=1 but sum was called with 1 positional arguments (LINE); select keyword arguments with argnames",
    ),
    "argnames": (
        lambda: autodiff.grad(lambda a: a, argnames="b")(1.0),
        "grad: argnames='b' but <lambda> was called without an argument of that name (LINE)",
    ),
    "elementwise shapes": (
        lambda: autodiff.grad(lambda x: np.sum(x + np.ones(4)))(X),
        "add(float64[3], float64[4]) (LINE): operands could not be broadcast together with shapes (3,) (4,)",
    ),
    "linear shapes": (
        lambda: autodiff.grad(lambda x: np.sum(np.reshape(x, (2, 2))))(X),
        "np.reshape(float64[3]) (LINE): cannot reshape array of size 3 into shape (2,2)",
    ),
    "multilinear shapes": (
        lambda: autodiff.grad(lambda x: np.sum(x @ M))(M),
        "matmul(float64[2,3], float64[2,3]) (LINE): matmul: Input operand 1 has a mismatch in its core dimension 0, with "
        "gufunc signature (n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)",
    ),
    "general shapes": (
        lambda: autodiff.grad(lambda x: np.sum(np.linalg.solve(np.eye(3), x)))(M),
        "solve(float64[3,3], float64[2,3]) (LINE): solve: Input operand 1 has a mismatch in its core dimension 0, with "
        "gufunc signature (m,m),(m,n)->(m,n) (size 2 is different from 3)",
    ),
    "an axis too many": (
        lambda: autodiff.grad(lambda x: np.sum(x, axis=2)[0])(X),
        "axis 2 is out of bounds for array of dimension 1 (LINE); choose from -1 to 0",
    ),
    "a singular matrix": (
        lambda: autodiff.grad(lambda x: np.sum(np.linalg.inv(x)))(np.zeros((2, 2))),
        "inv(float64[2,2]) (LINE): Singular matrix",
    ),
    "a leaked traced value": (
        leak,
        "multiply: a traced value was used after the derivative (grad, vjp, ...) that made it had ended (LINE). Return it "
        "from the function that is transformed; do not keep it in a global, an attribute or a closure.",
    ),
    "a traced value in a plain array": (
        lambda: autodiff.grad(lambda x: np.zeros(2).__setitem__(0, x[0]))(X),
        "a traced float64[] would become float (LINE) and its derivative would be lost silently. Make an array of traced "
        "values with autodiff.numpy.array([[a, b], [c, d]]), np.array(..., like=x) of a traced x, np.stack, np.concatenate "
        "or np.block, or assign them into np.zeros_like(x) or np.zeros(n, like=x). Call NumPy's functions in place of those "
        "of math; print with f'{x:.3f}' in place of '%.3f' % x. To run a program as it stands put "
        "@autodiff.differentiable on the function, or run python -m autodiff script.py. Where no derivative is wanted, wrap "
        "the value in autodiff.stop_gradient.",
    ),
    "a branch under vmap": (
        lambda: autodiff.vmap(lambda x: x if x > 0 else -x)(X),
        "a traced bool[] would become bool (LINE), but the recording of a tape (make_tape, vmap, checkpoint, ...) traces "
        "with shapes only: the number is not known. Select with np.where, branch with autodiff.cond, loop with "
        "autodiff.while_loop; pick from a plain array with autodiff.numpy.take(array, index) in place of array[index]; or compute it outside.",
    ),
    "tangents": (
        lambda: autodiff.jvp(np.sin, (X,), (np.ones(4),)),
        "a tangent has shape (4,) but its primal has shape (3,) (LINE); they must be equal",
    ),
    "cotangents": (
        lambda: autodiff.vjp(np.sin, X)[1](np.ones(4)),
        "the cotangent has shape (4,) but sin returned shape (3,) (LINE); they must be equal",
    ),
    "two cotangents": (
        lambda: autodiff.vjp(np.sin, X)[1](X, X),
        "the pullback of sin takes one cotangent, got 2 (LINE); it is like the value, *",
    ),
    "batch sizes": (
        lambda: autodiff.vmap(np.dot)(np.ones((3, 2)), np.ones((4, 2))),
        "vmap: dot was called with batches of sizes [3, 4] (LINE); there must be one size",
    ),
    "a modulus": (
        lambda: autodiff.grad(lambda x: pow(x, 2, 5))(2.0),
        "pow with three arguments is for whole numbers of Python, got float (LINE); write np.mod(x ** y, m)",
    ),
    "a modulus of a Variable": (
        lambda: pow(Variable(X), 2, 5),
        "pow with three arguments is for whole numbers of Python, got float64[3] (LINE); write np.mod(x ** y, m)",
    ),
    "a list in a Variable": (
        lambda: Variable([1.0]),
        "a Variable holds an array, got list (LINE); wrap a number or a list with np.asarray",
    ),
    "dtypes of Variables": (
        lambda: Variable(X) + Variable(X.astype(np.float32)),
        "\nInvalid operation is performed in: _ + _ (Forward) (LINE)\n\nExpect: lhs.dtype == rhs.dtype\nActual: float64 != "
        "float32\n\nVariables of different dtypes do not mix; cast one of them.",
    ),
    "backward of an array": (
        lambda: (Variable(X) * 2).backward(),
        "backward() from a Variable of shape (3,) needs its gradient (LINE): set y.grad = np.ones_like(y.array), or another "
        "weight for each element; or reduce it to one number first",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_whole_text(name):
    bad, text = ERRORS[name]
    with pytest.raises(Exception) as error:  # noqa: PT011 - the text is what is tested, whatever the type
        bad()
    found = re.sub(r"test_errors\.py:\d+", "LINE", str(error.value)).strip(" ")
    assert found == text
    assert "test_errors.py:" in str(error.value)


def test_afterwards_everything_works():
    assert autodiff.grad(lambda x: x * x)(3.0) == 6.0


def test_python_suggests_names_that_are_nearly_the_same():
    with pytest.raises(AttributeError, match=r"^module 'autodiff' has no attribute 'gradd'$") as refused:
        autodiff.gradd  # noqa: B018
    assert (refused.value.name, refused.value.obj) == ("gradd", autodiff)
