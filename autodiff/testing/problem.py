"""A function and its arguments as the laws see them: flat, differentiable leaves in, flat leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.differences.central import first_step, scales_for, slopes_along
from autodiff.testing.differences.numerical import move
from autodiff.testing.differences.pairing import directions
from autodiff.testing.differences.slope import Slope
from autodiff.trace.caching import cached_property
from autodiff.trace.trees.tree import flatten, paths

DOUBLE = {"float16": np.float64, "float32": np.float64, "complex64": np.complex128}

NEARBY = 2.0**-6
"""The step to the neighbours that say how large a result is."""


BESIDE = 2.0**-5
"""The step to the points that are tried beside a kink."""

SMALL = 2.0**-18
"""How much smaller numbers are than others that they may meet."""


@dataclass
class Search:
    """What the laws say of arguments beside whether they hold there.

    Attributes:
        puzzling: whether a numerical derivative needed a second look, which takes long.
    """

    puzzling: bool = False


class Problem:
    """A function at certain arguments.

    Attributes:
        leaves: the leaves of all arguments.
        primals: those that derivatives are taken by: floating and complex ones.
        names: what to call each leaf in messages.
        origins: how large the values are from which those of the function were made, where they are derivatives.
        disagreement: the largest error found so far of a derivative, as a part of what was allowed.
        near_kink: whether a kink was found so near that steps cannot tell it from one at the arguments.
        search: what those learn who search for arguments; all problems that are made of one another share it.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        args: Sequence[Any],
        names: Sequence[str] = (),
        result_names: Sequence[str] = (),
        search: Search | None = None,
    ) -> None:
        self.fun = fun
        self.search = search or Search()
        self.args = tuple(args)
        self.disagreement = 0.0
        self.near_kink = False
        self.origins: Sequence[Any] = ()
        self._result_names = tuple(result_names)
        self.leaves, self.structure = flatten(self.args)
        self.places = [place for place, leaf in enumerate(self.leaves) if is_inexact(leaf)]
        self.primals = tuple(self.leaves[place] for place in self.places)
        self.names = tuple(names or (f"args{path}" for path in paths(self.args)))

    def flat(self, *primals: Any) -> tuple[Any, ...]:
        """fun as a function of its differentiable leaves, returning those of its output."""
        leaves = list(self.leaves)
        for place, primal in zip(self.places, primals, strict=True):
            leaves[place] = primal
        return tuple(leaf for leaf in flatten(self.fun(*self.structure.unflatten(leaves)))[0] if is_inexact(leaf))

    def flattened(self, *leaves: Any) -> tuple[Any, ...]:
        """fun as a function of all its leaves, returning all leaves of its output."""
        return tuple(flatten(self.fun(*self.structure.unflatten(leaves)))[0])

    @cached_property
    def value(self) -> Any:
        """What fun returns, called with plain arrays."""
        return self.fun(*self.args)

    @cached_property
    def results(self) -> tuple[Any, ...]:
        """The floating and complex leaves of the value."""
        return tuple(leaf for leaf in flatten(self.value)[0] if is_inexact(leaf))

    @property
    def result_names(self) -> tuple[str, ...]:
        """What to call each of the results."""
        return self._result_names or tuple(f"result {number}" for number in range(len(self.results)))

    @property
    def gradient_names(self) -> tuple[str, ...]:
        """What to call the gradient by each of the primals."""
        return tuple(f"the gradient by {self.names[place]}" for place in self.places)

    @property
    def differentiable(self) -> bool:
        """Whether there is anything to differentiate, and to differentiate by."""
        return bool(self.primals) and bool(self.results)

    @cached_property
    def tangents(self) -> tuple[Any, ...]:
        """A fixed direction to move the primals in."""
        return directions(self.primals, scaled=True)

    @cached_property
    def cotangents(self) -> tuple[Any, ...]:
        """A fixed direction to pair the results with."""
        return directions(self.results, seed=1)

    @cached_property
    def double(self) -> Problem:
        """The same problem in double precision."""
        leaves = [_doubled(leaf) for leaf in self.leaves]
        same = all(new is old for new, old in zip(leaves, self.leaves, strict=True))
        return (
            self
            if same
            else Problem(self.fun, self.structure.unflatten(leaves), self.names, self._result_names, self.search)
        )

    @cached_property
    def sizes(self) -> tuple[Any, ...]:
        """How large every result is, here or a small step away: what rounding errors are relative to.

        A variance of equal numbers is zero, and yet it was computed from numbers that are not. So is the derivative of
        a function that is nearly constant: it may be the difference of numbers as large as the function.
        """
        behind, ahead = self.flat(*self.near(-NEARBY)), self.flat(*self.near(NEARBY))
        own = [_largest_finite(*leaves) for leaves in zip(self.results, behind, ahead, strict=True)]
        return tuple(np.maximum(*pair) for pair in zip(own, self.origins or [0.0] * len(own), strict=True))

    @cached_property
    def slopes(self) -> list[Slope]:
        """The numerical derivative of every result along `tangents`."""
        return self.slopes_at(self.primals)

    def slopes_at(self, primals: Sequence[Any], scale: float = 1.0, *, thorough: bool = False) -> list[Slope]:
        """The numerical derivatives at other primals, or with steps `scale` times as large, or with all steps."""

        def along(step: float) -> tuple[Any, ...]:
            return self.flat(*(move(x, v, step) for x, v in zip(primals, self.tangents, strict=True)))

        with np.errstate(all="ignore"):
            step = scale * first_step(primals, self.tangents)
            return slopes_along(along, step, scales_for(primals), thorough=thorough)[0]

    @property
    def kinked(self) -> bool:
        """Whether any result has a kink here, or as near as makes no difference."""
        return self.near_kink or self._kinked_here

    @cached_property
    def _kinked_here(self) -> bool:
        return any(slope.kinked.any() for slope in self.slopes)

    def along(self, tangents: Sequence[Any]) -> Problem:
        """The same problem with other directions to move the primals in."""
        other = Problem(self.fun, self.args, self.names, self._result_names, self.search)
        other.tangents = tuple(tangents)
        other.origins = self.origins
        return other

    @cached_property
    def pulled(self) -> Problem:
        """The gradient of <cotangents, fun> as a problem of its own."""

        def pullback_of_fixed(*primals: Any) -> tuple[Any, ...]:
            return tuple(autodiff.vjp(self.flat, *primals)[1](self.cotangents))

        names = [self.names[place] for place in self.places]
        pulled = Problem(pullback_of_fixed, self.primals, names, self.gradient_names, self.search)
        largest = max((float(np.max(size, initial=0.0)) for size in self.sizes), default=0.0)
        pulled.origins = [np.full(np.shape(x), largest) for x in self.primals]
        return pulled

    @cached_property
    def pushed(self) -> Problem:
        """The derivative of fun along `tangents` as a problem of its own."""

        def derivative_along_fixed(*primals: Any) -> tuple[Any, ...]:
            return tuple(autodiff.jvp(self.flat, primals, self.tangents)[1])

        names = [self.names[place] for place in self.places]
        results = [f"the tangent of {r}" for r in self.result_names]
        pushed = Problem(derivative_along_fixed, self.primals, names, results, self.search)
        pushed.origins = self.sizes
        return pushed

    @cached_property
    def elementwise(self) -> bool:
        """Whether every element of the results depends on those in its place alone, down to the last bit.

        It is found out with numbers of all digits beside much larger ones: in a sum with these they would lose some.
        """
        shapes = {np.shape(x) for x in (*self.primals, *self.results)}
        size = np.size(self.primals[0])
        if len(shapes) > 1 or size < 2:
            return False
        even = (np.arange(size) % 2).reshape(shapes.pop())
        full = [_full_mantissas(x) for x in self.primals]
        with np.errstate(all="ignore"):
            for kept in (even, 1 - even):
                here = self.flat(*(np.where(kept, x * SMALL, x) for x in full))
                there = self.flat(*(np.where(kept, x * SMALL, x / 3) for x in full))
                if any(np.any(np.where(kept, np.not_equal(a, b), False)) for a, b in zip(there, here, strict=True)):
                    return False
        return True

    def beside(self) -> list[Problem]:
        """The problem at points on both sides, as far away as makes a difference."""
        sides = (self.structure.unflatten(self.moved(step)) for step in (-BESIDE, BESIDE))
        return [Problem(self.fun, side, self.names, search=self.search) for side in sides]

    def near(self, step: float) -> list[Any]:
        """The primals, moved by a step along `tangents`."""
        return [move(x, v, step) for x, v in zip(self.primals, self.tangents, strict=True)]

    def moved(self, step: float) -> list[Any]:
        """All leaves, the differentiable ones a step away; whole numbers change places among themselves."""
        leaves = [np.roll(leaf, 1) if isinstance(leaf, np.ndarray) and step else leaf for leaf in self.leaves]
        for place, primal in zip(self.places, self.near(step), strict=True):
            leaves[place] = primal
        return leaves


def _full_mantissas(x: Any) -> Any:
    """Numbers of all digits and several magnitudes, with the signs of others."""
    random = np.random.default_rng(np.size(x))

    def parts_like(part: Any) -> Any:
        sizes = random.uniform(1, 2, np.shape(part)) * 8.0 ** random.integers(-4, 3, np.shape(part))
        return np.where(part < 0, -1, 1) * sizes.astype(np.asarray(part).dtype)

    return parts_like(np.real(x)) + 1j * parts_like(np.imag(x)) if np.iscomplexobj(x) else parts_like(x)


def is_inexact(leaf: Any) -> bool:
    """Whether a leaf, traced or not, is floating or complex."""
    dtype = getattr(leaf, "dtype", None)
    return isinstance(leaf, float | complex) if dtype is None else dtype.kind in "fc"


def _largest_finite(*arrays: Any) -> Any:
    sizes = np.abs(np.stack([np.asarray(array) for array in arrays]))
    return np.max(sizes, axis=0, where=np.isfinite(sizes), initial=0.0)


def _doubled(leaf: Any) -> Any:
    wider = DOUBLE.get(getattr(getattr(leaf, "dtype", None), "name", ""))
    return leaf if wider is None else leaf.astype(wider)
