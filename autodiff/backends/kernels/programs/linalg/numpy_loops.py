"""Decompositions of matrices and Fourier transforms by NumPy's own loops, which kernels call by address.

So results are NumPy's to the bit: the signs of eigenvectors, too. Where a loop finds no result it leaves NaN, and the
kernel calls out for the operation, so that NumPy raises its error, or has another result for what was NaN before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from autodiff.backends.kernels.programs.calling_out import SELDOM, Placed, placed, write_call
from autodiff.backends.kernels.programs.linalg.matrices import LARGEST
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, Shape, steps
from autodiff.backends.kernels.programs.writer import Writer
from autodiff.backends.kernels.scalars import cast, literal
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.native.numpy_loops import addresses
from autodiff.trace.tape import Equation, Literal

DOUBLE = np.dtype(np.float64)
SELDOM |= {"eigh", "eigvalsh", "svd", "svdvals"}


class Loops(Writer):
    """Writes calls of NumPy's loops.

    Args:
        scope: where.
        equation: the operation.
    """

    def run(self, name: str, count: int, lengths: Sequence[int], *operands: tuple[str, Sequence[int]]) -> None:
        """Call a loop.

        Args:
            name: of the loop in kernels.
            count: how often it runs.
            lengths: of its axes.
            operands: the address of each operand and result, and its strides in bytes.

        Raises:
            Impossible: if this NumPy has no such loop.
        """
        if addresses(name) is None:
            raise Impossible(f"{self.equation.primitive.name}: NumPy has no loop {name}")
        self.emitter.of_numpy.append(self.equation)
        written = (f"{base}, {', '.join(map(str, strides))}" for base, strides in operands)
        self.emitter.line(f"{name}({count}, {', '.join(map(str, lengths))}, {', '.join(written)})")

    def matrices(self, name: str, count: int, sides: Sequence[int], *buffers: Buffer) -> None:
        """Call a loop for stacks of doubles that lie side by side; a buffer has the axes of the loop's last."""
        operands = []
        for buffer, axes in zip(buffers, LOOPS[name].axes, strict=True):
            shape = buffer.shape[len(buffer.shape) - len(axes) :]
            operands.append((buffer.base, [8 * step for step in (prod(shape), *steps(shape))]))
        self.run(name, count, sides, *operands)

    def wide(self, buffer: Buffer, filled: bool) -> Buffer:
        """A buffer of doubles: the given one, or another one, with the same numbers in it if asked for."""
        if buffer.dtype == DOUBLE:
            return buffer
        found = self.emitter.allocate(buffer.shape, DOUBLE)
        if filled:
            self.convert(buffer, found)
        return found

    def convert(self, source: Buffer, target: Buffer) -> None:
        """Copy numbers to a buffer of another dtype, if it is another one."""
        if source is target:
            return
        with self.loop(0, prod(source.shape)) as k:
            value = cast(f"load_{source.dtype}({source.base}, {k})", source.dtype, target.dtype)
            self.emitter.line(f"store_{target.dtype}({target.base}, {k}, {value})")

    def call_for_nan(self, where: Placed, values: Buffer) -> None:
        """Call out where the first of a matrix's values is NaN."""
        flag = self.let("False", "s")
        with self.loop(0, prod(values.shape[:-1])) as k:
            first = self.let(self.at(values.base, f"{k} * {values.shape[-1]}"))
            with self.inside(f"if {first} != {first}:"):
                self.assign(flag, "True")
        with self.inside(f"if {flag}:"):
            write_call(self.scope, self.equation, where, seldom=True)


def begin(scope: Scope, equation: Equation) -> tuple[Loops, Placed]:
    """What is needed for a decomposition of the only operand.

    Raises:
        Impossible: where kernels do not go on with matrices like these.
    """
    (operand,) = equation.operands
    own, name = scope.spec(operand), equation.primitive.name
    if not isinstance(operand, int) or scope.emitter.rows is not None:
        raise Impossible(f"{name} in a part of the rows, or of a constant")
    if own.dtype.kind != "f" or any(one.dtype != own.dtype for one in equation.specs):
        raise Impossible(f"{name} of {own.dtype.name}")
    if not scope.looped and max(own.shape[-2:]) > LARGEST:
        raise Impossible(f"{name} of {own.shape[-2]} x {own.shape[-1]} matrices")
    return Loops(scope, equation, own.dtype), placed(scope, equation)


def decompose(scope: Scope, equation: Equation, loop: str, values: int) -> None:
    """A decomposition by one loop.

    Args:
        scope: where.
        equation: the operation.
        loop: its name in kernels.
        values: which of the results is NaN where there is none.
    """
    writer, where = begin(scope, equation)
    (given,), outs = where.buffers, where.outs
    wide = [writer.wide(given, True), *(writer.wide(out, False) for out in outs)]
    sides = given.shape[-2:]
    lengths = (*sides, min(sides)) if "n" in LOOPS[loop].lengths else sides[:1]
    writer.matrices(loop, prod(given.shape[:-2]), lengths, *wide)
    for own, out in zip(wide[1:], outs, strict=True):
        writer.convert(own, out)
    writer.call_for_nan(where, outs[values])
    scope.keep(equation, *outs)


@handles("eigh", "eigvalsh")
def hermitian(scope: Scope, equation: Equation) -> None:
    """Eigenvalues of symmetric matrices, and eigenvectors."""
    triangle = "lo" if dict(equation.params)["triangle"] == "L" else "up"
    vectors = equation.primitive.name == "eigh"
    decompose(scope, equation, f"numpy_eigh_{triangle}_d_dd" if vectors else f"numpy_eigvalsh_{triangle}_d_d", 0)


@handles("svd")
def singular(scope: Scope, equation: Equation) -> None:
    """Singular values and vectors."""
    decompose(scope, equation, "numpy_svd_f_d_ddd" if dict(equation.params)["full"] else "numpy_svd_s_d_ddd", 1)


@handles("svdvals")
def singular_values(scope: Scope, equation: Equation) -> None:
    """Singular values alone."""
    decompose(scope, equation, "numpy_svd_d_d", 0)


@handles("qr")
def orthogonal(scope: Scope, equation: Equation) -> None:
    """Orthonormal columns, and a triangle: two loops, of which the first one overwrites the matrix."""
    writer, where = begin(scope, equation)
    (given,), (q, r) = where.buffers, where.outs
    lead, (rows, columns) = given.shape[:-2], given.shape[-2:]
    inner, count = min(rows, columns), prod(lead)
    if dict(equation.params)["mode"] == "complete" and rows > columns:
        raise Impossible("a square factor of more rows than columns, which has no derivative")
    raw = writer.emitter.allocate(given.shape, DOUBLE)
    writer.convert(given, raw)
    factors = writer.emitter.allocate((*lead, inner), DOUBLE)
    wide = writer.wide(q, False)
    writer.matrices("numpy_qr_r_raw_d_d", count, [rows, columns, inner], raw, factors)
    writer.matrices("numpy_qr_reduced_dd_d", count, [rows, columns, inner], raw, factors, wide)
    writer.convert(wide, q)
    triangle(writer, raw, r)
    scope.keep(equation, q, r)


def triangle(writer: Loops, source: Buffer, target: Buffer) -> None:
    """Copy what is on and above the diagonal of the first rows, with zeros below it."""
    rows, columns = target.shape[-2:]
    size = prod(source.shape[-2:])
    with writer.loop(0, prod(target.shape[:-2])) as k, writer.loop(0, rows) as i, writer.loop(0, columns) as j:
        element = writer.let(f"load_float64({source.base}, {k} * {size} + {i} * {columns} + {j})")
        value = cast(f"where({j} < {i}, 0.0, {element})", DOUBLE, target.dtype)
        writer.put(target.base, f"{k} * {rows * columns} + {i} * {columns} + {j}", value)


# Fourier transforms, on the real and imaginary parts of numbers.


def interleaved(scope: Scope, shape: Shape, dtype: np.dtype, complex_: bool) -> tuple[Buffer, list[Buffer]]:
    """Memory for numbers, and their parts in it."""
    if not complex_:
        whole = scope.emitter.allocate(shape, dtype)
        return whole, [whole]
    whole = scope.emitter.allocate((*shape, 2), dtype)
    return whole, [Buffer(whole.base, shape, tuple(2 * step for step in steps(shape)), part, dtype) for part in (0, 1)]


def scale(length: int, norm: str | None, inverse: bool, dtype: np.dtype) -> int | float:
    """By what NumPy multiplies the sums of a transform: by one as an integer, which lets it compute in doubles."""
    if norm == "ortho":
        return float(np.reciprocal(np.sqrt(length, dtype=dtype)))
    plain = (norm == "forward") == inverse
    return 1 if plain else float(np.reciprocal(length, dtype=dtype))


def transform(
    scope: Scope, equation: Equation, length: int, inverse: bool, given: bool, made: bool, loop: Callable[[str], str]
) -> None:
    """A transform along one axis.

    Args:
        scope: where.
        equation: the operation on parts.
        length: by which it is scaled.
        inverse: whether it is the inverse.
        given: whether it takes complex numbers.
        made: whether it gives them.
        loop: the name of NumPy's loop, for the letter of the precision.
    """
    params = dict(dict(equation.params)["params"])
    dtype, out = scope.spec(equation.operands[0]).dtype, equation.specs[0]
    if dtype != out.dtype or dtype.kind != "f" or scope.emitter.rows is not None:
        raise Impossible(f"{equation.primitive.name} of {dtype.name}")
    shape, axis, writer = scope.spec(equation.operands[0]).shape, params["axis"], Loops(scope, equation, dtype)
    scope.emitter.flush()
    source, parts = interleaved(scope, shape, dtype, given)
    zero = Literal(dtype.type(0))  # the imaginary parts of real numbers
    for operand, part in zip((*equation.operands, zero), parts, strict=False):
        scope.copied(part, operand)
    scope.emitter.flush()
    target, outs = interleaved(scope, out.shape, dtype, made)
    factor, letter = scale(length, params["norm"], inverse, dtype), "f"
    wide, narrow = source, target
    if dtype == DOUBLE or isinstance(factor, int) or len(equation.operands) < len(parts):
        wide, target, letter = writer.wide(source, True), writer.wide(target, False), "d"
    by = scope.emitter.allocate((1,), wide.dtype)
    scope.emitter.line(f"store_{wide.dtype}({by.base}, 0, {literal(float(factor), wide.dtype)})")
    place = axis % len(shape)
    before, after = prod(shape[:place]), prod(shape[place + 1 :])
    widths = [wide.dtype.itemsize * (1 + is_complex) for is_complex in (given, made)]
    lengths, bases = (shape[axis], out.shape[axis]), (wide.base, target.base)

    def run(count: int, apart: Sequence[int], addresses: Sequence[str]) -> None:
        (read, written) = (
            (base, (width * step, width * after)) for base, width, step in zip(addresses, widths, apart, strict=True)
        )
        writer.run(loop(letter), count, lengths, read, (by.base, (0,)), written)

    if after == 1:
        run(before, lengths, bases)
    else:
        with writer.loop(0, before) as k:
            moved = [
                writer.let(f"shifted({base}, {k} * {n * after * width})", "p")
                for base, n, width in zip(bases, lengths, widths, strict=True)
            ]
            run(after, (1, 1), moved)
    writer.convert(target, narrow)
    scope.keep(equation, *outs)


@handles("fft_of_parts")
def complex_transform(scope: Scope, equation: Equation) -> None:
    """The transform of complex numbers, or of real ones as complex ones without imaginary parts."""
    params = dict(dict(equation.params)["params"])
    name = "ifft" if params["inverse"] else "fft"
    length = equation.specs[0].shape[params["axis"]]

    def loop(letter: str) -> str:
        return f"numpy_{name}_{letter.upper()}{letter}_{letter.upper()}"

    transform(scope, equation, length, params["inverse"], True, True, loop)


@handles("rfft_of_parts")
def half_transform(scope: Scope, equation: Equation) -> None:
    """The first half of the transform of real numbers."""
    length = scope.spec(equation.operands[0]).shape[dict(dict(equation.params)["params"])["axis"]]
    name = f"rfft_n_{'odd' if length % 2 else 'even'}"
    transform(scope, equation, length, False, False, True, lambda one: f"numpy_{name}_{one}{one}_{one.upper()}")


@handles("irfft_of_parts")
def whole_of_half(scope: Scope, equation: Equation) -> None:
    """The real numbers of which half a transform is given."""
    length = dict(dict(equation.params)["params"])["length"]
    transform(scope, equation, length, True, True, False, lambda one: f"numpy_irfft_{one.upper()}{one}_{one}")
