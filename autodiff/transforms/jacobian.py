"""Whole Jacobians: one tangent for each input, or one cotangent for each output, all of them as one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from autodiff.trace.errors import DifferentiationError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.trees.tree import TreeDef
from autodiff.trace.values.arrays import zeros
from autodiff.transforms.arguments import (
    Names,
    Positions,
    Selection,
    differentiable_leaves,
    function_name,
)
from autodiff.transforms.gradient import Linearization, assignable, grad, is_unknown, released, unit_cotangent
from autodiff.transforms.holomorphic import refuse_real, refuse_unless_holomorphic
from autodiff.transforms.jvp import jvp, require_tuples
from autodiff.transforms.linearize import TangentMap
from autodiff.transforms.transformed import DECORATED, TransformedFunction
from autodiff.transforms.unit_vectors import columns, in_dtypes, rows

Mode = Literal["auto", "forward", "reverse"]
Function = Callable[..., Any]


def jacfwd(
    fun: Function = DECORATED,
    argnums: Positions = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
) -> Function:
    """The Jacobian, column by column: best where the results are at least as many as the inputs.

    Args, returns and errors are those of :func:`jacobian`. A real function of real inputs may have complex results.

    >>> import numpy as np
    >>> jacfwd(lambda t: np.stack([t, t**2, t**3]))(2.0)
    array([ 1.,  4., 12.])
    """
    return _jacobian(jacfwd, fun, argnums, "forward", has_aux, holomorphic, argnames)


def jacrev(
    fun: Function = DECORATED,
    argnums: Positions = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
) -> Function:
    """The Jacobian, row by row: best where the inputs are more than the results.

    Args, returns and errors are those of :func:`jacobian`. A complex input z = x + iy of a function with real results
    gets df/dx - i df/dy.

    >>> import numpy as np
    >>> jacrev(lambda x: np.stack([np.sum(x), np.prod(x)]))(np.array([1.0, 2.0, 3.0]))
    array([[1., 1., 1.],
           [6., 3., 2.]])
    """
    return _jacobian(jacrev, fun, argnums, "reverse", has_aux, holomorphic, argnames)


def jacobian(
    fun: Function = DECORATED,
    argnums: Positions = 0,
    mode: Mode = "auto",
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
    sparse: bool = False,
) -> Function:
    """The Jacobian, the matrix of first derivatives: J[i, j] = d out[i] / d x[j].

    Args:
        fun: a function of arrays or trees that returns an array or a tree. Without it, the other arguments
            make a decorator: ``@jacobian(argnums=1)``.
        argnums: which positional arguments to differentiate: a position, or several.
        mode: ``"forward"``, ``"reverse"``, or ``"auto"`` for the one that takes fewer passes.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.
        holomorphic: whether ``fun`` is complex-differentiable; inputs and results then must be complex. Where values
            are known, the Cauchy-Riemann equations are checked at the point, along one direction.
        argnames: names of arguments in place of positions.
        sparse: whether the blocks are sparse matrices of the shape ``(out.size, in.size)``. The pattern comes from the
            operations, not from values, and is cached by the returned function. Colouring then computes all entries
            from a few directions.

    Returns:
        a function of the same arguments that returns the Jacobian: a tree like the result, whose leaves are trees like
        the argument (a tuple of them if several are selected), whose leaves have the shape ``out.shape +
        in.shape`` and, in each mode, the dtype of the argument (complex if only the result is); with ``has_aux``,
        ``(jacobian, aux)``. With ``sparse`` the leaves are ``scipy.sparse.csr_array``, and where their entries are
        traced, matrices of :mod:`autodiff.scipy.sparse`.

    Raises:
        DifferentiationError: if an argument is not made of floating-point numbers, or of complex ones where the mode
            and ``holomorphic`` do not allow them; or, with ``sparse``, if there are more than 2**27 entries.

    >>> import numpy as np
    >>> jacobian(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> tree = jacobian(lambda p: {"y": p["a"] * p["x"]})({"a": 2.0, "x": np.array([1.0, 3.0])})
    >>> tree["y"]["a"], tree["y"]["x"]
    (array([1., 3.]), array([[2., 0.],
           [0., 2.]]))
    >>> jacobian(np.diff, sparse=True)(np.ones(10**6)).nnz
    1999998
    """
    check_mode("jacobian", mode)
    return _jacobian(jacobian, fun, argnums, mode, has_aux, holomorphic, argnames, sparse)


def value_and_jacobian(
    fun: Function = DECORATED,
    argnums: Positions = 0,
    mode: Mode = "auto",
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
    sparse: bool = False,
) -> Function:
    """The function that returns both the value of ``fun`` and its Jacobian; ``fun`` runs once.

    Args and errors are those of :func:`jacobian`.

    Returns:
        a function of the same arguments that returns ``(value, jacobian)``, or ``((value, aux), jacobian)``.

    >>> import numpy as np
    >>> value_and_jacobian(lambda x: x[:2] * x[2])(np.array([1.0, 2.0, 3.0]))
    (array([3., 6.]), array([[3., 0., 1.],
           [0., 3., 2.]]))
    """
    check_mode("value_and_jacobian", mode)
    return _jacobian(value_and_jacobian, fun, argnums, mode, has_aux, holomorphic, argnames, sparse)


def check_mode(name: str, mode: str) -> None:
    """Refuse what is no mode."""
    if mode not in ("auto", "forward", "reverse"):
        raise ValueError(f"{name}: mode must be 'auto', 'forward' or 'reverse', got {mode!r}")


def hessian(
    fun: Function = DECORATED,
    argnums: Positions = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
    sparse: bool = False,
) -> Function:
    """The Hessian, the matrix of second derivatives, forward over reverse: H[i, j] = d2 f / dx[i] dx[j].

    Args and errors are those of :func:`jacobian`.

    Returns:
        a function of the same arguments that returns a tree of trees like the argument, with leaves of the shape
        ``out.shape + in.shape + in.shape``. With ``sparse``, ``fun`` must return one real number, and
        the leaves are sparse matrices. The Hessian is assumed to be symmetric; only custom rules that are not true
        derivatives can violate this.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] * x[1] ** 2)(np.array([1.0, 2.0]))
    array([[0., 4.],
           [4., 2.]])
    >>> hessian(lambda x: np.sum((x[1:] - x[:-1]) ** 4), sparse=True)(np.arange(4.0)).toarray()
    array([[ 12., -12.,   0.,   0.],
           [-12.,  24., -12.,   0.],
           [  0., -12.,  24., -12.],
           [  0.,   0., -12.,  12.]])
    """
    if fun is DECORATED:
        return partial(
            hessian, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic, argnames=argnames, sparse=sparse
        )
    if sparse:
        return _sparse_hessian(fun, argnums, has_aux, holomorphic, argnames)
    inner = _jacobian(hessian, fun, argnums, "reverse", has_aux, holomorphic, argnames)
    outer = _jacobian(hessian, inner, argnums, "forward", has_aux, holomorphic, argnames)
    return TransformedFunction(fun, outer, hessian, fun, argnums, has_aux, holomorphic, argnames=argnames)


def hvp(fun: Function, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Hessian-vector product, forward over reverse: the derivative of the gradient along the tangents.

    Args:
        fun: a function with one real number as its result.
        primals: a tuple of its arguments.
        tangents: as many, of the same structure, shapes and dtypes.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.

    Returns:
        what is like the argument; a tuple where there are several; a pair of it and aux with ``has_aux``.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    array([6., 0.])
    """
    require_tuples("hvp", primals, tangents)
    argnums: Positions = 0 if len(primals) == 1 else tuple(range(len(primals)))
    found = jvp(grad(fun, argnums, has_aux), primals, tangents, has_aux)
    return found[1:] if has_aux else found[1]


def _jacobian(
    make: Function,
    fun: Function,
    argnums: Positions,
    mode: Mode,
    has_aux: bool,
    holomorphic: bool,
    argnames: Names,
    sparse: bool = False,
) -> Function:
    name = make.__name__
    chosen: dict[str, Any] = {"mode": mode} if make in (jacobian, value_and_jacobian) else {}
    named: dict[str, Any] = {"argnames": argnames, **({"sparse": True} if sparse else {})}
    if fun is DECORATED:
        return partial(make, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic, **chosen, **named)
    selection = Selection(name, fun, argnums, argnames)
    find = sparse_finder() if sparse else None

    def jacobian_at(*args: Any, **kwargs: Any) -> Any:
        primals, of_selected, places = selection.pick(args, kwargs)
        leaves, structure = differentiable_leaves(name, primals, mode == "forward" and not holomorphic, places)
        inputs = [spec_of(leaf) for leaf in leaves]
        refuse_real(name, "an argument", inputs, holomorphic)
        if mode == "reverse":
            at: Any = Linearization(name, of_selected, primals, has_aux, places, fun)
            values = [value for value, _ in at.outs]
            results = at.out
        else:
            at = TangentMap(name, of_selected, primals, has_aux, places, fun)
            values, results = at.values, at.results
        outputs = output_specs(name, fun, values)
        refuse_real(name, f"the result of {function_name(fun)}", outputs, holomorphic)
        forward = mode == "forward" or (mode == "auto" and goes_forward(inputs, outputs, holomorphic))
        complex_ones = any(s.dtype.kind == "c" for s in (*inputs, *outputs))
        if forward:
            refuse_complex(name, "an argument", inputs, holomorphic)
        else:
            refuse_complex(name, f"the result of {function_name(fun)}", outputs, holomorphic)
        if holomorphic:
            one_way, places_of = (at.push, leaves) if forward else (pull_of(at, mode), values)
            refuse_unless_holomorphic(name, fun, one_way, places_of)
        if find is not None:
            way = mode if mode != "auto" or not complex_ones else "forward" if forward else "reverse"
            blocks = find(at, way, (inputs, outputs), values, transposed)
        elif forward:
            found = compressed(at, inputs, outputs) if any(map(is_unknown, leaves)) else None
            blocks = found or columns(at.push, at.push_masked, inputs, outputs, leaves)
        else:
            pull = pull_of(at, mode)
            blocks = rows(pull, pull, inputs, outputs, values)
        if find is None:
            blocks = [in_dtypes(row, inputs, out) for row, out in zip(blocks, outputs, strict=True)]
        blocks = [list(map(as_derivative, row, leaves)) for row in blocks]
        found = tree_of_trees(blocks, results, structure, selection.single)
        if make is value_and_jacobian:
            value = results.unflatten(map(released, values))
            return ((value, at.aux) if has_aux else value), found
        return (found, at.aux) if has_aux else found

    given = argnums, *chosen.values(), has_aux, holomorphic
    return TransformedFunction(fun, jacobian_at, make, fun, *given, **named)


def as_derivative(block: Any, leaf: Any) -> Any:
    """A block as the caller gets it: also one that is constant belongs to what is recorded."""
    return assignable(block, spec_of(block), leaf) if type(block) is np.ndarray and is_unknown(leaf) else block


MANY, LONGEST, ENTRIES = 32, 500, 2**22
"""Jacobians with fewer columns, of longer tapes or with more elements are computed column by column: to look for their
zeros would take longer than to compile the program."""

APART = frozenset(["slice_set", "gather", "scatter_add", "split", "unstack", "broadcast_to", "windows", "overlap_add"])
"""Operations, besides elementwise ones and those that only move elements, that may leave a Jacobian sparse."""


def compressed(at: TangentMap, arguments: Sequence[Spec], results: Sequence[Spec]) -> list[list[Any]] | None:
    """The blocks of a Jacobian with many zeros from few directions; None where it has few."""
    width, height = (sum(own.size for own in specs) for specs in (arguments, results))
    equations = at.staged.tape.equations
    if width < MANY or width * height > ENTRIES or len(equations) > LONGEST:
        return None
    primitives = {equation.primitive for equation in equations}
    if not all(p.family == "elementwise" or p.moves or p.name in APART for p in primitives):
        return None  # a sum or a product, after which all depends on all
    from autodiff.transforms.sparse.dense import dense_blocks  # noqa: PLC0415 - imports scipy.sparse, rarely needed

    return dense_blocks(at, arguments, results)


def sparse_finder() -> Callable[..., list[list[Any]]]:
    """What finds the blocks of sparse Jacobians of one function, and keeps their patterns."""
    from autodiff.transforms.sparse.matrices import sparse_blocks  # noqa: PLC0415 - imports scipy.sparse, rarely needed
    from autodiff.transforms.sparse.patterns import Patterns  # noqa: PLC0415 - the same

    return partial(sparse_blocks, Patterns())


def _sparse_hessian(fun: Function, argnums: Positions, has_aux: bool, holomorphic: bool, argnames: Names) -> Function:
    selection = Selection("hessian", fun, argnums, argnames)
    find = sparse_finder()

    def hessian_at(*args: Any, **kwargs: Any) -> Any:
        primals, of_selected, places = selection.pick(args, kwargs)
        leaves, structure = differentiable_leaves("hessian", primals, not holomorphic, places)
        inputs = [spec_of(leaf) for leaf in leaves]
        refuse_real("hessian", "an argument", inputs, holomorphic)

        def gradient(*now: Any) -> Any:
            inner = Linearization("hessian", of_selected, now, has_aux, places, fun)
            seed = unit_cotangent("hessian", fun, inner)
            found = tuple(inner.pull([seed]))
            return (found, inner.aux) if has_aux else found

        at = TangentMap("hessian", gradient, primals, has_aux, places, fun)
        blocks = find(at, "symmetric", (inputs, inputs), at.values, transposed)
        trees = [structure.unflatten(row) for row in blocks]
        found = structure.unflatten(tree[0] if selection.single else tree for tree in trees)
        found = found[0] if selection.single else found
        return (found, at.aux) if has_aux else found

    return TransformedFunction(
        fun, hessian_at, hessian, fun, argnums, has_aux, holomorphic, argnames=argnames, sparse=True
    )


def pull_of(at: Any, mode: Mode) -> Callable[[Sequence[Any]], list[Any]]:
    """The derivative read backwards."""
    return at.pull if mode == "reverse" else transposed(at)


def transposed(at: TangentMap) -> Callable[[Sequence[Any]], list[Any]]:
    """The pullback, from the tape of tangents: it is linear, so that its own reverse pass is the same at any point."""
    origin = tuple(zeros(spec_of(leaf), leaf) for leaf in at.leaves)
    return Linearization("jacobian", lambda *directions: at.push(directions), origin, False).pull


def tree_of_trees(blocks: list[list[Any]], results: TreeDef, arguments: TreeDef, single: bool) -> Any:
    """The blocks as a tree like the result, of trees like the arguments."""
    trees = [arguments.unflatten(row) for row in blocks]
    return results.unflatten(tree[0] if single else tree for tree in trees)


def goes_forward(inputs: Sequence[Spec], outputs: Sequence[Spec], holomorphic: bool) -> bool:
    """Whether forward mode takes no more passes than reverse mode, or is the only one of the two that is defined."""
    if not holomorphic and any(s.dtype.kind == "c" for s in (*inputs, *outputs)):
        return not any(s.dtype.kind == "c" for s in inputs)
    return sum(s.size for s in inputs) <= sum(s.size for s in outputs)


def output_specs(name: str, fun: Function, values: Sequence[Any]) -> list[Spec]:
    """The specs of the results, all of which must be floating-point numbers."""
    specs = []
    for value in values:
        own = spec_of(value)
        if not own.inexact:
            raise DifferentiationError(
                f"{name} needs a function that returns real or complex floating-point numbers, but "
                f"{function_name(fun)} returned {described(value)}{at_user_line()}; with has_aux=True a second result "
                "is passed on"
            )
        specs.append(own)
    return specs


def refuse_complex(name: str, what: str, specs: Sequence[Spec], holomorphic: bool) -> None:
    """Refuse complex numbers where they have no derivative of that kind."""
    for s in specs:
        if not holomorphic and s.dtype.kind == "c":
            raise DifferentiationError(
                f"{name} without holomorphic=True needs real numbers here, but {what} is {s!r}{at_user_line()}"
            )
