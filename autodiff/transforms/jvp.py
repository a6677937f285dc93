"""``jvp``: a function's value and its derivative along a direction, in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import DifferentiationError, run_user_code
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.arrays import check_places, is_array, on_gpu, placed
from autodiff.trace.values.leaves import PYTHON_NUMBERS, as_leaf
from autodiff.transforms.arguments import differentiable_leaves
from autodiff.transforms.forward import Forward, peeled, unpaired
from autodiff.transforms.gradient import separate, split_aux
from autodiff.transforms.masking import seeded
from autodiff.transforms.results import result_leaf
from autodiff.transforms.tangents import settled


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Jacobian-vector product: the value of ``fun`` and its derivative ``J @ v`` along tangents ``v``, in one run.

    Args:
        fun: a function of the primals that returns a tree of arrays.
        primals: a tuple or list of the arguments: numbers, arrays, or trees of them.
        tangents: one for each primal, with its structure, shapes and dtypes.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.

    Returns:
        ``(value, tangent)``, or ``(value, tangent, aux)``; the tangent has the structure and shapes of the value.
        Elements whose tangent is exactly zero contribute nothing, even where their derivative is infinite.

    Raises:
        DifferentiationError: if a primal is not made of floating-point numbers.
        ValueError: if a tangent does not have the structure or shape of its primal.

    >>> import numpy as np
    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    require_tuples("jvp", primals, tangents)
    leaves, structure = differentiable_leaves("jvp", tuple(primals))
    directions = matching_tangents(leaves, structure, tuple(tangents))
    recording = Forward()
    try:
        seeds = map(seeded, directions)
        traced = [Tracer(leaf, recording, seed) for leaf, seed in zip(leaves, seeds, strict=True)]
        result = run_user_code(fun, structure.unflatten(traced))
        result, aux = split_aux("jvp", result) if has_aux else (result, None)
        outs, out_structure = flatten(result)
        pairs = [unpaired(result_leaf("jvp", fun, out), recording) for out in outs]
        value = out_structure.unflatten(value for value, _ in pairs)
        tangent = out_structure.unflatten(separate([tangent for _, tangent in pairs], [*directions, *leaves]))
        if not has_aux:
            return value, tangent
        return value, tangent, peeled(aux, recording)
    finally:
        recording.close()


def require_tuples(name: str, primals: Any, tangents: Any) -> None:
    """Refuse primals and tangents that are not each a tuple or list of the arguments."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(
            f"{name} takes the primals and the tangents each as a tuple, got {type(primals).__name__} and "
            f"{type(tangents).__name__}{at_user_line()}; write {name}(f, (x,), (v,))"
        )


def matching_tangents(leaves: list[Any], structure: Any, tangents: Any) -> list[Any]:
    """The leaves of the tangents, checked against the primals that they belong to."""
    directions, its = flatten(tangents)
    if its != structure:
        raise ValueError(f"the tangents are {its} but the primals are {structure}{at_user_line()}; they must be alike")
    checked = []
    for leaf, direction in zip(leaves, directions, strict=True):
        slot = spec_of(leaf)
        direction = as_leaf(direction)
        if isinstance(direction, PYTHON_NUMBERS):
            direction = np.asarray(direction)[()]
        if on_gpu(leaf) and not slot.shape and not is_array(direction) and not isinstance(direction, Tracer):
            direction = placed(np.asarray(direction), leaf)
        check_places("a primal and its tangent", (leaf, direction))
        given = spec_of(direction)
        if given.shape != slot.shape:
            raise ValueError(
                f"a tangent has shape {given.shape} but its primal has shape {slot.shape}{at_user_line()}; they must "
                "be equal"
            )
        if given.dtype.kind == "c" and slot.dtype.kind != "c":
            raise DifferentiationError(f"a tangent is complex but its primal is {slot!r}{at_user_line()}")
        checked.append(settled(direction, slot))
    return checked
