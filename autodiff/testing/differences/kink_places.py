"""Which arguments sit at a kink, for those who read a summary: the numbers, or that they are equal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autodiff.testing.problem import Problem

FEW = 16
"""Arguments of at most so many elements are moved one by one."""


def kink_places(problem: Problem) -> list[str]:
    """What makes a kink when it is moved alone: "0", "1", "equal elements"; "" where it takes several."""
    if sum(np.size(x) for x in problem.primals) > FEW:
        return [""]
    values = [value for x in problem.primals for value in np.ravel(x).tolist()]
    found = [
        "equal elements" if values.count(value) > 1 and not float(abs(value)).is_integer() else f"{value:g}"
        for value, alone in zip(values, each_alone(problem), strict=True)
        if alone.kinked
    ]
    return list(dict.fromkeys(found)) or [""]


def each_alone(problem: Problem) -> Iterator[Problem]:
    """The problem along directions that move one element each."""
    for place, tangent in enumerate(problem.tangents):
        for index in np.ndindex(np.shape(tangent)):
            moved = [np.zeros_like(v) for v in problem.tangents]
            moved[place][index] = np.asarray(tangent)[index]
            yield problem.along([v if v.shape else v[()] for v in moved])
