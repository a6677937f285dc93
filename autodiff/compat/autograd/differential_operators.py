"""autograd's operators: functions of a function and ``argnum``, a position or several."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff.compat.autograd import core
from autodiff.compat.autograd.vspace import vspace
from autodiff.compat.autograd.wrap_util import get_name, unary_to_nary
from autodiff.trace.errors import ConcretizationError, DifferentiationError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.tree.mapping import map as map_tree

Function = Callable[..., Any]

make_vjp = unary_to_nary(core.make_vjp)
make_jvp = unary_to_nary(core.make_jvp)


def one_number(name: str, fun: Function, ans: Any) -> Any:
    """The cotangent 1 of a result that must be one real number.

    Raises:
        DifferentiationError: if it is none.
    """
    if vspace(ans).size != 1:
        got = described(ans) if flatten(ans)[1].kind is None else f"a tree {flatten(ans)[1]}"
        raise DifferentiationError(
            f"{name} needs a function that returns one real number, but {get_name(fun)} returned {got}"
            f"{at_user_line()}; take jacobian, elementwise_grad or holomorphic_grad"
        )
    return vspace(ans).ones()


@unary_to_nary
def grad(fun: Function, x: Any) -> Any:
    """The gradient of a function with one real number as its result, by the argument ``argnum`` or several.

    >>> import numpy as np
    >>> grad(lambda x, y: np.sum(x * y**2), argnum=(0, 1))(np.array([1.0, 2.0]), 3.0)
    (array([9., 9.]), 18.0)
    """
    vjp, ans = core.make_vjp(fun, x)
    return vjp(one_number("grad", fun, ans))


@unary_to_nary
def value_and_grad(fun: Function, x: Any) -> tuple[Any, Any]:
    """The value and the gradient."""
    vjp, ans = core.make_vjp(fun, x)
    return ans, vjp(one_number("value_and_grad", fun, ans))


@unary_to_nary
def grad_and_aux(fun: Function, x: Any) -> tuple[Any, Any]:
    """The gradient of the first result of a function that returns two, and the second one."""
    ans, pull, aux = autodiff.vjp(fun, core.as_floats(x), has_aux=True)
    return pull(one_number("grad_and_aux", fun, ans))[0], aux


@unary_to_nary
def elementwise_grad(fun: Function, x: Any) -> Any:
    """The gradient of the sum of the result: where each element depends on its own alone, its derivative."""
    vjp, ans = core.make_vjp(fun, x)
    if vspace(ans).iscomplex:
        raise TypeError(f"elementwise_grad needs real results{at_user_line()}; take holomorphic_grad")
    return vjp(vspace(ans).ones())


@unary_to_nary
def deriv(fun: Function, x: Any) -> Any:
    """The derivative along ones, by forward mode."""
    return core.make_jvp(fun, x)(vspace(x).ones())[1]


@unary_to_nary
def jacobian(fun: Function, x: Any) -> Any:
    """All derivatives of an array by an array, row by row: of the shape ``out.shape + in.shape``."""
    vjp, ans = core.make_vjp(fun, x)
    own = spec_of(ans)
    basis = np.eye(own.size, dtype=own.dtype).reshape(own.size, *own.shape)
    try:
        rows = autodiff.vmap(vjp)(basis)
    except ConcretizationError:  # a rule of the user's that wants plain values
        rows = map_tree(lambda *parts: np.stack(parts), *map(vjp, basis)) if own.size else vspace(x).zeros()
    return map_tree(lambda part, at: np.reshape(part, own.shape + np.shape(at)), rows, x)


@unary_to_nary
def holomorphic_grad(fun: Function, x: Any) -> Any:
    """The derivative of a complex-differentiable function of one number."""
    if not vspace(x).iscomplex:
        warnings.warn("the input of holomorphic_grad is not complex", stacklevel=2)
    return grad(lambda x: np.real(fun(x)))(x)


def grad_named(fun: Function, argname: str) -> Function:
    """The gradient by an argument that is given by its name."""
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))  # type: ignore[no-any-return]


@unary_to_nary
def hessian(fun: Function, x: Any) -> Any:
    """All second derivatives by an array."""
    return jacobian(jacobian(fun))(x)


@unary_to_nary
def make_hvp(fun: Function, x: Any) -> tuple[Function, Any]:
    """The function that multiplies by the Hessian, and the gradient."""
    return core.make_vjp(grad(fun), x)


def hessian_tensor_product(fun: Function, argnum: Any = 0) -> Function:
    """The Hessian times a tensor: a function of the arguments of ``fun`` and the tensor behind them."""
    slope = grad(fun, argnum)

    def along(*args: Any, **kwargs: Any) -> Any:
        *rest, tensor = args
        return np.tensordot(slope(*rest, **kwargs), tensor, np.ndim(tensor))

    return grad(along, argnum)  # type: ignore[no-any-return]


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Function, argnum: Any = 0) -> Function:
    """A tensor times the Jacobian: a function of the arguments of ``fun`` and the tensor behind them."""

    def along(*args: Any, **kwargs: Any) -> Any:
        *rest, tensor = args
        return np.tensordot(tensor, fun(*rest, **kwargs), axes=np.ndim(tensor))

    return jacobian(along, argnum)  # type: ignore[no-any-return]


vector_jacobian_product = tensor_jacobian_product


@unary_to_nary
def make_jvp_reversemode(fun: Function, x: Any) -> Function:
    """The function that multiplies by the Jacobian, by two passes of reverse mode."""
    vjp, ans = core.make_vjp(fun, x)
    return core.make_vjp(vjp, vspace(ans).zeros())[0]


def half_square(x: Any) -> Any:
    """Half the sum of squares along the last axis."""
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f: Function, g: Function = half_square, f_argnum: Any = 0) -> Function:
    """The function that multiplies by the generalized Gauss-Newton matrix of g(f(x)): J' H J of f's J and g's H."""

    def at_point(f: Function, x: Any) -> Function:
        f_vjp, value = core.make_vjp(f, x)
        g_hvp, slope = core.make_vjp(grad(g), value)
        f_jvp, _ = core.make_vjp(f_vjp, vspace(slope).zeros())
        return lambda v: f_vjp(g_hvp(f_jvp(v)))

    return unary_to_nary(at_point)(f, f_argnum)  # type: ignore[no-any-return]


def multigrad_dict(fun: Function) -> Function:
    """The gradients by all arguments, as a dictionary by their names."""
    signature = inspect.signature(fun)

    def gradients(*args: Any, **kwargs: Any) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        named = OrderedDict(bound.arguments)

        def of_arguments(values: dict[str, Any]) -> Any:
            again = signature.bind_partial()
            again.arguments.update((name, values[name]) for name in signature.parameters if name in values)
            return fun(*again.args, **again.kwargs)

        return OrderedDict((name, found) for name, found in grad(of_arguments)(dict(named)).items())

    return gradients


checkpoint = autodiff.checkpoint
