"""Recording a function for ``jit``: the errors that speak of it, and what it may return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec
from autodiff.trace.staging import Body, Staged, stage
from autodiff.trace.trees.tree import LEAF, TreeDef, flatten
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import is_leaf
from autodiff.transforms.jit.randomness import random_state, warn_of_randomness
from autodiff.transforms.jit.signatures import paths_in

STATIC = "make the argument that it comes from static (static_argnums, static_argnames): it is known then"
REMEDIES = {
    "bool": (
        "Select with np.where(condition, a, b), branch with autodiff.cond, loop with autodiff.while_loop; write "
        "(a < x) & (x < b) in place of a < x < b, and np.logical_and, np.logical_or, np.logical_not in place of and, "
        f"or, not. Shapes and dtypes are known: Python may branch on them. Or {STATIC}."
    ),
    "an index": (
        "Lengths, bounds of slices, positions in lists and numbers of steps must be known: take them from x.shape, or "
        f"{STATIC}. Loop with autodiff.fori_loop or autodiff.while_loop, and pick elements with "
        "autodiff.numpy.take(array, index), which needs no number."
    ),
    "a plain NumPy array": (
        "Collect traced values with np.stack or np.concatenate, or assign them into np.zeros_like(x) of a traced x; "
        "pick from a plain array with autodiff.numpy.take(array, index) in place of array[index]; call functions that "
        f"are NumPy's own and not SciPy's, or give them a rule with custom_vjp. Or {STATIC}."
    ),
}
NUMBER = (
    "Leave the number as it is: call NumPy's functions in place of those of math, x.astype(int) in place of int(x), "
    f"and print with f'{{x}}' in place of '%.3f' % x; or {STATIC}."
)
COUNTING = (
    "How many elements there are would depend on values. Keep them all and select with np.where(mask, x, 0), or sum "
    "with np.sum(x, where=mask); or call it outside and pass the result as an argument."
)
COUNTED = {"np.nonzero", "np.argwhere", "np.flatnonzero", "np.unique", "np.compress", "np.extract", "np.bincount"}


class Recorder(Body):
    """Records a function for ``jit``.

    Args:
        name: the function's name and line, for error texts.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    @property
    def purpose(self) -> str:  # type: ignore[override] # of the class elsewhere
        """The recording as error texts call it."""
        return f"the recording of {self.name} by jit"

    def remedy(self, wanted: str) -> str:
        if wanted in REMEDIES:
            return REMEDIES[wanted]
        if wanted.removeprefix("an argument of ") in COUNTED:
            return COUNTING
        return (
            NUMBER
            if wanted in ("float", "int", "complex", "an argument of round")
            else f"Compute it outside, or {STATIC}."
        )


def recorded_by_jit(fun: Callable[..., Any], specs: Sequence[Spec], structure: TreeDef, name: str) -> Staged:
    """Record a function of trees on specs.

    Raises:
        TypeError: if it returns something that is no tree of arrays and numbers.
    """

    def checked(*trees: Any) -> Any:
        result = fun(*trees)
        check_results(result, name)
        return result

    before = random_state()
    staged = stage(checked, specs, structure, body=Recorder(name))
    warn_of_randomness(name, before)
    return staged


def check_results(result: Any, name: str) -> None:
    """Refuse results that are no arrays."""
    leaves, structure = flatten(result)
    for path, leaf in zip(paths_in(structure, ""), leaves, strict=True):
        if is_leaf(leaf) and type(leaf) is not Spec:
            continue
        if hasattr(leaf, "close"):  # a coroutine or a generator, which must not complain that nobody ran it
            leaf.close()
        where = "" if structure is LEAF else f" at result{path}"
        then = remedy(leaf)
        raise TypeError(
            f"jit: {name} returned {described(leaf)}{where}{at_user_line()}, which is no array or number"
            f"{'; ' + then if then else ''}. Return arrays, numbers and None, in tuples, lists, dictionaries and other "
            "trees; make what else there is outside."
        )
