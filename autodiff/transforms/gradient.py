"""Reverse mode: ``vjp``, ``grad``, ``value_and_grad``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from autodiff.ops.creation import full
from autodiff.ops.elementwise import cast
from autodiff.ops.index import slice_of
from autodiff.ops.masked import Masked
from autodiff.ops.shape import project
from autodiff.trace.errors import DifferentiationError, described, run_user_code
from autodiff.trace.live import Differentiation, Entry
from autodiff.trace.memory.recycling import owns_memory
from autodiff.trace.primitive import newest_traced
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, is_chunked, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import LEAF, TreeDef, flatten
from autodiff.trace.values.arrays import any_on_gpu, check_places, is_array, module_of, on_gpu, placed
from autodiff.trace.values.arrays import zeros as zeros_beside
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.arguments import (
    Names,
    Places,
    Positions,
    Selection,
    differentiable_leaves,
    function_name,
)
from autodiff.transforms.holomorphic import complex_seed
from autodiff.transforms.masking import has_nan, is_plain, seeded, unmasked
from autodiff.transforms.results import aux_leaf, result_leaf
from autodiff.transforms.reverse import read_backwards, zero_seeds
from autodiff.transforms.transformed import DECORATED, TransformedFunction


class Linearization:
    """A function that has run once at a point, ready to be read backwards.

    Args:
        name: the transformation, for error texts.
        fun: the function; its arguments are trees.
        primals: where it runs.
        has_aux: whether it returns a pair of which the second part is only passed on.
        places: where the user's function has these arguments, for error texts.
        original: the user's function, where ``fun`` only calls it.
    """

    __slots__ = ("aux", "entries", "leaves", "out", "outs", "structure", "turns")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        primals: tuple[Any, ...],
        has_aux: bool,
        places: Places = None,
        original: Callable[..., Any] | None = None,
    ) -> None:
        self.leaves, self.structure = differentiable_leaves(name, primals, places=places)
        recording = Differentiation()
        try:
            tracers = [recording.input(leaf) for leaf in self.leaves]
            self.entries: list[Entry] = [tracer.slot for tracer in tracers]
            result = run_user_code(fun, self.structure.unflatten(tracers))
            result, aux = split_aux(name, result) if has_aux else (result, None)
            outs, self.out = flatten(result)
            self.outs = [refreshed(result_leaf(name, original or fun, out), recording) for out in outs]
            self.aux: Any = map_out(aux, recording) if has_aux else None
            self.turns = recording.turns
        finally:
            recording.close()

    def release(self) -> Any:
        """The function's value in arrays of its own, as the tape may hold the others; afterwards only the tape does."""
        value = self.out.unflatten(released(value) for value, _ in self.outs)
        self.outs = [(None, entry) for _, entry in self.outs]
        return value

    @property
    def value(self) -> Any:
        """The function's value, no longer traced."""
        if self.out is LEAF:
            return self.outs[0][0]
        return self.out.unflatten(value for value, _ in self.outs)

    def pull(self, cotangents: Sequence[Any], read: Callable[..., dict[Any, Any]] = read_backwards) -> list[Any]:
        """The cotangents of the arguments' leaves from those of the results' leaves; None for what nobody asks of."""
        pairs = zip(self.outs, cotangents, strict=True)
        seeds = [(entry, ct) for (_, entry), ct in pairs if entry is not None and ct is not None]
        if self.turns:
            seeds += zero_seeds(self.turns)
        with np.errstate(all="ignore"):  # infinite derivatives are values like any other: see the conventions
            found = read(seeds)
            entries = zip(self.entries, self.leaves, strict=True)
            return [own(found.get(entry), entry.spec, leaf) for entry, leaf in entries]

    def pull_seeded(self, cotangents: Sequence[Any]) -> list[Any]:
        """The same, where zeros of plain cotangents ask for nothing.

        It takes longer, and makes a difference only where a zero meets an infinity: the result is looked at first.
        """
        found = self.pull(cotangents)
        seeds = [seeded(ct) if is_plain(ct) else ct for ct in cotangents]
        if not any(type(seed) is Masked for seed in seeds):
            return found
        if newest_traced(tuple(found)) is None and not has_nan(found):
            return found
        return self.pull(seeds)


Pull = Callable[[Linearization, Sequence[Any]], list[Any]]
"""Gives the cotangents of the arguments' leaves from those of the results' leaves."""


def split_aux(name: str, result: Any) -> tuple[Any, Any]:
    """A result taken apart into value and aux."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(
            f"{name} with has_aux=True needs a function that returns a pair (value, aux), got "
            f"{type(result).__name__}{at_user_line()}"
        )
    return result


def refreshed(out: Any, recording: Differentiation) -> tuple[Any, Entry | None]:
    """The plain value of a result, and its entry where it depends on the inputs."""
    if isinstance(out, Traced):
        out = out.seen_from(recording.level)
    if isinstance(out, Tracer) and out.recording is recording:
        entry = out.slot
        return out.primal, entry
    return out, None


def map_out(tree: Any, recording: Differentiation) -> Any:
    """A tree with this recording's traced values replaced by what they stand for."""
    leaves, structure = flatten(tree)
    found = [refreshed(aux_leaf(leaf), recording) for leaf in leaves]
    return structure.unflatten(value if entry is None else released(value) for value, entry in found)


def released(value: Any) -> Any:
    """A value as the caller may have it: an array of its own."""
    if type(value) is np.ndarray:
        return np.array(value, copy=True, order="K")
    return value.copy(order="K") if is_array(value) else value


def own(g: Any, slot: Spec, like: Any = None) -> Any:
    """A cotangent as the caller gets it: of the argument's kind, an array that shares memory with nothing.

    What belongs to a number but was computed on a GPU stays there, since bringing it over would wait for it.
    """
    if type(g) is np.ndarray and type(like) is np.ndarray:
        return g if owns_memory(g) and g.flags.writeable else g.copy()
    g = zeros(slot, like) if g is None else unmasked(g)
    if isinstance(g, Tracer):
        return g if slot.shape else of_kind(g, slot)
    if slot.kind == "array" and is_unknown(like):
        return assignable(g, slot, like)
    if any_on_gpu((g,)):
        return g if g.base is None else g.copy()
    if slot.kind == "python":
        return g.item() if isinstance(g, (np.ndarray, np.generic)) else g
    if isinstance(g, np.ndarray):
        if slot.kind == "scalar":
            return g[()]
        return g if owns_memory(g) and g.flags.writeable else g.copy()
    if isinstance(g, np.generic) and slot.kind == "array":
        return placed(np.asarray(g), like)
    return g


def assignable(g: Any, slot: Spec, like: Any) -> Any:
    """A constant as a derivative by a value of which only the shape is known: traced values may be assigned into it."""
    return full(like, g, shape=slot.shape, dtype=slot.dtype)


def is_unknown(value: Any) -> bool:
    """Whether only the shape and dtype of a value are known."""
    return isinstance(value, Traced) and type(concrete(value)) is Spec


def of_kind(g: Any, slot: Spec) -> Any:
    """A traced cotangent without axes, as the array or NumPy scalar that its slot is."""
    its = g.spec.kind
    if its == "python" and slot.kind == "scalar":
        return cast(g, dtype=slot.dtype)
    if its == "scalar" and slot.kind == "array":
        return slice_of(g, key=(Ellipsis,))
    return slice_of(g, key=()) if its == "array" and slot.kind != "array" else g


def zeros(slot: Spec, like: Any = None) -> Any:
    """Zero, as an array or number of the given spec, where another value lies."""
    if slot.kind == "array":
        return zeros_beside(slot, like)
    return slot.dtype.type(0) if slot.kind == "scalar" else slot.dtype.type(0).item()


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Vector-Jacobian product: the value of ``fun``, and the pullback, which maps cotangents ``v`` to ``v @ J``.

    Args:
        fun: a function of the primals that returns a tree of arrays.
        primals: real or complex numbers, arrays, or trees of them.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.

    Returns:
        ``(value, pullback)`` or ``(value, pullback, aux)``. ``pullback(v)``, with ``v`` like the value, is a tuple of
        one cotangent ``v @ J`` for each primal, with its shape and dtype. You may call it several times.

    Raises:
        DifferentiationError: if a primal is not made of floating-point numbers.
        ValueError: if a cotangent does not have the structure or shape of the value.

    >>> import numpy as np
    >>> value, pullback = vjp(np.sin, np.array([0.0, np.pi]))
    >>> pullback(np.array([1.0, 1.0]))
    (array([ 1., -1.]),)
    """
    at = Linearization("vjp", fun, primals, has_aux)
    specs = [spec_of(value) for value, _ in at.outs]
    beside = [module_of(value).empty(0) if on_gpu(value) else None for value, _ in at.outs]
    value = at.release()

    def pullback(cotangent: Any, *others: Any) -> Any:
        if others:
            raise TypeError(
                f"the pullback of {function_name(fun)} takes one cotangent, got {1 + len(others)}{at_user_line()}; it "
                f"is like the value, {at.out}"
            )
        cotangents = matching_cotangents(cotangent, at.out, specs, function_name(fun), beside)
        return at.structure.unflatten(separate(at.pull_seeded(cotangents), cotangents))

    return (value, pullback, at.aux) if has_aux else (value, pullback)


def matching_cotangents(
    cotangent: Any, structure: TreeDef, specs: list[Spec], name: str, beside: list[Any]
) -> list[Any]:
    """The leaves of a cotangent, checked against the results that they belong to, and beside which they must lie."""
    leaves, own_structure = ([cotangent], LEAF) if structure is LEAF else flatten(cotangent)
    if own_structure != structure:
        raise ValueError(f"the cotangent is {own_structure} but {name} returned {structure}{at_user_line()}")
    checked = []
    for leaf, out, home in zip(leaves, specs, beside, strict=True):
        leaf = as_leaf(np.asarray(leaf) if isinstance(leaf, (list, tuple)) else leaf)
        if not is_array(leaf) and not isinstance(leaf, Traced):
            leaf = placed(np.asarray(leaf), home)
        if home is not None:
            check_places("the cotangent of a result", (leaf, home))
        leaf_spec = spec_of(leaf)
        if leaf_spec.shape != out.shape:
            raise ValueError(
                f"the cotangent has shape {leaf_spec.shape} but {name} returned shape {out.shape}{at_user_line()}; "
                "they must be equal"
            )
        if leaf_spec.dtype != out.dtype and out.inexact:
            if leaf_spec.dtype.kind == "c" and out.dtype.kind != "c":
                raise ValueError(
                    f"the cotangent is complex but {name} returned {out!r}{at_user_line()}; pass its real part"
                )
            leaf = project(leaf, out)
        checked.append(leaf)
    return checked


def separate(gradients: list[Any], given: list[Any]) -> list[Any]:
    """Make each array a different one, and none the caller's own; on a tape, too, whose results become arrays."""
    if len(gradients) == 1 and not any(map(is_array, given)) and not isinstance(gradients[0], Tracer):
        return gradients
    seen = set(map(identity, given))
    for k, g in enumerate(gradients):
        if is_array(g) or (isinstance(g, Tracer) and spec_of(g).kind == "array"):
            if identity(g) in seen:
                gradients[k] = g = g.copy()
            seen.add(identity(g))
    return gradients


def identity(value: Any) -> Any:
    """What tells an array from others: of a value on a tape its number there."""
    if isinstance(value, Tracer) and isinstance(value.slot, int):
        return id(value.recording), value.slot
    return id(value)


def value_and_grad(
    fun: Callable[..., Any] = DECORATED,
    argnums: Positions = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
) -> Callable[..., Any]:
    """The function that returns both the value of ``fun`` and its gradient.

    Args:
        fun: a function that returns one real number. Without it, the other arguments make a decorator:
            ``@value_and_grad(argnums=1)``.
        argnums: which positional arguments to differentiate: a position, or several.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.
        holomorphic: whether ``fun`` is complex-differentiable. Its arguments and its result are complex then, and the
            gradient is the complex derivative df/dz. Where values are known, the Cauchy-Riemann equations are checked
            at the point, with two more backward passes.
        argnames: names of arguments in place of positions.

    Returns:
        a function of the same arguments that returns ``(value, gradient)``, or ``((value, aux), gradient)``. The
        gradient has the structure, shapes and dtypes of the argument; it is a tuple if several are selected. For a
        complex argument z = x + iy it is df/dx - i df/dy.

    Raises:
        DifferentiationError: if the result is not one real number, or an argument is not made of floating-point
            numbers; with ``holomorphic`` if they are not complex, or ``fun`` is not complex-differentiable.

    >>> import numpy as np
    >>> value_and_grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    return _gradient_function(value_and_grad, fun, argnums, has_aux, holomorphic, argnames)


def grad(
    fun: Callable[..., Any] = DECORATED,
    argnums: Positions = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Names = None,
) -> Callable[..., Any]:
    """The gradient of a function that returns one real number, or, with ``holomorphic``, one complex number.

    Args and errors are those of :func:`value_and_grad`.

    Returns:
        a function of the same arguments that returns the gradient; ``(gradient, aux)`` with ``has_aux``.

    >>> import numpy as np
    >>> grad(lambda x: np.sin(x) + x**2)(0.0)
    1.0
    >>> grad(grad(lambda x: x**3))(2.0)
    12.0
    >>> @grad(argnums=1)
    ... def slope(a, x):
    ...     return a * x**2
    >>> slope(3.0, 1.0)
    6.0
    >>> grad(lambda z: z**3, holomorphic=True)(1.0 + 1.0j)
    6j
    """
    return _gradient_function(grad, fun, argnums, has_aux, holomorphic, argnames)


def gradient_read_by(pull: Pull, function: TransformedFunction) -> Callable[..., Any]:
    """The function that ``grad`` or ``value_and_grad`` has made, whose tape is read backwards in another way.

    Args:
        pull: gives the cotangents of the arguments' leaves from the function, as it has run, and those of its results.
        function: the function.
    """
    make, (fun, argnums, has_aux, holomorphic) = function.made
    assert isinstance(make, partial)
    return _gradient_function(make.func, fun, argnums, has_aux, holomorphic, make.keywords["argnames"], pull)


def _gradient_function(
    make: Callable[..., Any],
    fun: Callable[..., Any],
    argnums: Positions,
    has_aux: bool,
    holomorphic: bool,
    argnames: Names,
    pull: Pull = Linearization.pull,
) -> Callable[..., Any]:
    if fun is DECORATED:
        return partial(make, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic, argnames=argnames)
    name, with_value = make.__name__, make is value_and_grad
    selection = Selection(name, fun, argnums, argnames)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        primals, of_selected, places = selection.pick(args, kwargs)
        at = Linearization(name, of_selected, primals, has_aux, places, fun)
        seed = complex_seed(name, fun, at) if holomorphic else unit_cotangent(name, fun, at)
        leaves = separate(pull(at, [seed]), [seed])
        tree = at.structure.unflatten(leaves)
        found = tree[0] if selection.single else tree
        if with_value:
            return ((at.value, at.aux) if has_aux else at.value), found
        return (found, at.aux) if has_aux else found

    return TransformedFunction(fun, gradient, make, fun, argnums, has_aux, holomorphic, argnames=argnames)


def unit_cotangent(name: str, fun: Callable[..., Any], at: Linearization) -> Any:
    """The cotangent 1 of a result that must be one real number."""
    if at.out is LEAF:
        out = spec_of(at.outs[0][0])
        if out.shape == () and out.inexact and out.dtype.kind != "c":
            value = at.outs[0][0]
            return (
                module_of(value).ones((), dtype=out.dtype) if on_gpu(value) or is_chunked(value) else out.dtype.type(1)
            )
    got = described(at.outs[0][0]) if at.out is LEAF else "None" if is_none(at) else f"a tree {at.out}"
    raise DifferentiationError(
        f"{name} needs a function that returns one real number, but {function_name(fun)} returned {got}"
        f"{at_user_line()}. {remedy_of_result(at)}"
    )


def is_none(at: Linearization) -> bool:
    """Whether the function returned None, as one does that has no ``return``."""
    return not at.outs and at.out.unflatten(()) is None


def remedy_of_result(at: Linearization) -> str:
    """What to do where a result is not one real number."""
    if is_none(at):
        return "Is a return missing?"
    if at.out is LEAF and not spec_of(at.outs[0][0]).inexact:
        return (
            "Whole numbers and truth values have no derivative: leave out what makes them, such as astype(int), argmax "
            "and comparisons."
        )
    return "Sum the result, take its real part, or use vjp or jacobian; with has_aux=True a second result is passed on."
