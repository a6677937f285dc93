"""Which results of a captured program lie in the memory of donated arguments: nothing is copied in or out for them.

The caller has given that memory up. A kernel writes there at once where nobody reads the argument any more, or where
the kernel itself reads it element by element, as steps of optimizers do. Other results are copied there at the end,
within the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff.backends.cupy.kernels.call import device_kernel
from autodiff.backends.cupy.kernels.grids import element_by_element
from autodiff.backends.gpu import is_gpu_array
from autodiff.trace.tape import Equation, Tape


@dataclass(frozen=True)
class Partners:
    """Results, and the donated arguments whose memory they take.

    Attributes:
        leaves: the argument by the place of the result among the outputs.
        direct: the argument by the slot of a result that a kernel writes there itself.
    """

    leaves: dict[int, int] = field(default_factory=dict)
    direct: dict[int, int] = field(default_factory=dict)

    def among(self, usable: Sequence[int]) -> Partners:
        """Those of some arguments alone."""
        return Partners(
            {place: leaf for place, leaf in self.leaves.items() if leaf in usable},
            {slot: leaf for slot, leaf in self.direct.items() if leaf in usable},
        )

    def copied(self, tape: Tape) -> dict[int, int]:
        """The arguments of the results that are copied at the end."""
        return {place: leaf for place, leaf in self.leaves.items() if tape.outputs[place] not in self.direct}


def partners_of(tape: Tape, donated: Sequence[int]) -> Partners:
    """The results that may take the memory of donated arguments: each of one with its shape and dtype.

    Args:
        tape: as it is run.
        donated: which of its inputs are given up.
    """
    found, outputs = Partners(), [out for out in tape.outputs if isinstance(out, int)]
    free = {leaf: readers(tape, leaf) for leaf in donated if tape.inputs[leaf].kind == "array" and leaf not in outputs}
    makers = {slot: k for k, equation in enumerate(tape.equations) for slot in equation.results}
    for place, out in enumerate(tape.outputs):
        if not isinstance(out, int) or out not in makers or outputs.count(out) > 1:
            continue
        alike = [leaf for leaf in free if tape.inputs[leaf] == tape.specs[out]]
        direct = [leaf for leaf in alike if writes_there(tape, makers[out], out, leaf, free[leaf])]
        if alike:
            leaf = (direct or alike)[0]
            del free[leaf]
            found.leaves[place] = leaf
            if direct:
                found.direct[out] = leaf
    return found


def readers(tape: Tape, leaf: int) -> list[int]:
    """The operations that read an input, or a view of it, in their order."""
    shown, found = {leaf}, []
    for k, equation in enumerate(tape.equations):
        if not shown.isdisjoint(o for o in equation.operands if isinstance(o, int)):
            if equation.primitive.view:
                shown.update(equation.results)
            found.append(k)
    return found


def writes_there(tape: Tape, maker: int, out: int, leaf: int, reading: Sequence[int]) -> bool:
    """Whether a kernel may write a result to the memory of an input while it runs."""
    equation = tape.equations[maker]
    if equation.primitive is not device_kernel or (reading and reading[-1] > maker):
        return False
    return not reading or reading[-1] < maker or reads_elements(equation, out, leaf)


def reads_elements(equation: Equation, out: int, leaf: int) -> bool:
    """Whether a kernel reads each element of an input before it writes the one of a result, and in the same thread."""
    if equation.operands.count(leaf) != 1:
        return False
    params = dict(equation.params)
    if params.pop("kind") != "grid":
        return False
    return element_by_element(**params, result=equation.results.index(out), read=equation.operands.index(leaf))


def usable(values: Sequence[Any], leaves: Sequence[int]) -> list[int]:
    """Which donated arguments can be written to: whole arrays in C order that no other argument shows.

    Args:
        values: the arguments.
        leaves: which of them are donated.
    """
    kept = [k for k in leaves if values[k].flags.c_contiguous and not is_gpu_array(values[k].base)]
    places = {k: extent(value) for k, value in enumerate(values) if is_gpu_array(value)}
    return [k for k in kept if not any(overlapping(places, k)) and places[k][0] % values[k].itemsize == 0]


def overlapping(places: dict[int, tuple[int, int]], leaf: int) -> Iterator[bool]:
    """For each other argument whether it shares memory with one."""
    begin, end = places[leaf]
    return (first < end and begin < last for k, (first, last) in places.items() if k != leaf)


def extent(array: Any) -> tuple[int, int]:
    """Where an array begins and ends in memory, whatever its strides."""
    steps = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
    first = array.data.ptr + sum(step for step in steps if step < 0)
    return first, array.data.ptr + sum(step for step in steps if step > 0) + array.itemsize
