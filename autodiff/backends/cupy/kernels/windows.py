"""Kernels of windows that slide over the last axes: sums, maxima, and what they send back."""

from __future__ import annotations

from math import prod

from autodiff.backends.cupy.kernels.call import prints
from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.kernels.writing import Lengths, Unsupported, Writing, element, integer, share
from autodiff.trace.tape import Tape

WIDE = 64
"""Registers of a thread where windows slide along many axes."""

MOST_AXES = 4
"""That windows slide along."""


class WindowKernel:
    """A kernel of windows, while it is written.

    Args:
        tape: of the one operation.
        shape: of the windows.
        lengths: of the axes of images along which they slide.
        counts: of windows along them.
    """

    def __init__(self, tape: Tape, shape: Lengths, lengths: Lengths, counts: Lengths) -> None:
        self.writing = Writing(tape)
        self.shape, self.lengths, self.counts = shape, lengths, counts
        if not 0 < len(shape) <= MOST_AXES or 0 in shape:
            raise Unsupported("windows without elements, or along too many axes")

    def write(self, name: str, along: Lengths, flags: str = "", op: str = "") -> DeviceKernel:
        """The kernel that calls a function of the prelude.

        Args:
            name: of the function.
            along: the last axes of the result, whose elements threads take.
            flags: further arguments of the template.
            op: the first one.
        """
        writing, rank = self.writing, len(self.shape)
        images = writing.out.size // prod(along) if writing.out.size else 0
        team, blocks = share(images * prod(along[:-1]), along[-1], 1)
        ones = (1,) * rank
        parts = {"lengths": self.lengths, "counts": self.counts, "shape": self.shape}
        parts |= {"stride": writing.params["stride"], "dilation": writing.params.get("dilation", ones)}
        given = [*writing.names, "out0"]
        if name == "add_windows" and len(writing.names) == 1:
            given.insert(1, "static_cast<const uint8*>(nullptr)")
        own = ", ".join(writing.sizes(part, values) for part, values in parts.items())
        template = ", ".join(part for part in (op, str(team), str(rank), flags) if part)
        given.append(writing.size("images", images))
        lines = [f"const Sliding<{rank}, Index> sliding = {{{own}}};"]
        call = f"{name}<{template}>({', '.join((*given, 'sliding'))});"
        writing.launch([*lines, call], blocks, registers=WIDE if rank > 2 else 0)
        return writing.kernel()


def sliding_over(tape: Tape) -> WindowKernel:
    """Windows taken from images."""
    params, out = dict(tape.equations[0].params), tape.equations[0].specs[0]
    rank = len(params["shape"])
    (slot, *_) = tape.equations[0].operands
    if not isinstance(slot, int):
        raise Unsupported("an operand that is a number")
    return WindowKernel(tape, params["shape"], tape.inputs[slot].shape[-rank:], out.shape[out.ndim - rank :])


def laid_down(tape: Tape) -> WindowKernel:
    """Windows that are laid down on images."""
    params = dict(tape.equations[0].params)
    lengths = params["lengths"]
    (slot, *_) = tape.equations[0].operands
    if not isinstance(slot, int):
        raise Unsupported("an operand that is a number")
    own, rank = tape.inputs[slot].shape, len(lengths)
    counts = own[-2 * rank : -rank] if "shape" not in params else own[-rank:]
    return WindowKernel(tape, params.get("shape", own[-rank:]), lengths, counts)


@prints("sum_windows")
@prints("max_windows")
def print_reduced(*, tape: Tape) -> DeviceKernel:
    """The sum, or the largest element, under each window."""
    kernel = sliding_over(tape)
    kind = element(kernel.writing.out.dtype)
    kernel.writing.arrays((kind,), kind)
    op = "Sum" if kernel.writing.equation.primitive.name == "sum_windows" else "Largest"
    return kernel.write("reduce_windows", kernel.counts, op=op)


@prints("first_positions")
def print_first(*, tape: Tape) -> DeviceKernel:
    """The number of the first element of each window that equals the extreme."""
    kernel = sliding_over(tape)
    x, extreme = (element(one.dtype) for one in kernel.writing.operands)
    if x != extreme:
        raise Unsupported("an extreme of another dtype")
    kernel.writing.arrays((x, extreme), integer(kernel.writing.out.dtype))
    return kernel.write("find_first", kernel.counts)


@prints("pick_from_windows")
def print_picked(*, tape: Tape) -> DeviceKernel:
    """The element of each window that positions number."""
    kernel = sliding_over(tape)
    kind = element(kernel.writing.out.dtype)
    kernel.writing.arrays((kind, integer(kernel.writing.operands[1].dtype)), kind)
    return kernel.write("pick_numbered", kernel.counts)


@prints("spread_windows")
@prints("lay_in_windows")
def print_laid(*, tape: Tape) -> DeviceKernel:
    """What windows send to the elements that they cover."""
    kernel = laid_down(tape)
    numbered = kernel.writing.equation.primitive.name == "lay_in_windows"
    kind = element(kernel.writing.out.dtype)
    positions = (integer(kernel.writing.operands[1].dtype),) if numbered else ()
    kernel.writing.arrays((kind, *positions), kind)
    return kernel.write("add_windows", kernel.lengths, flags="true" if numbered else "false")


@prints("overlap_add")
def print_overlap(*, tape: Tape) -> DeviceKernel:
    """The sum of windows, each laid down where it was taken from."""
    kernel = laid_down(tape)
    kind = element(kernel.writing.out.dtype)
    kernel.writing.arrays((kind,), kind)
    return kernel.write("overlap_add", kernel.lengths)
