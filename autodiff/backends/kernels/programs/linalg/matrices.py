"""Equations, inverses, determinants and factors of small matrices: loops over memory, one matrix after the other.

Elimination takes the largest pivot of a column, as LAPACK does; results differ from its by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod

from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, Shape
from autodiff.backends.kernels.programs.writer import Writer
from autodiff.trace.tape import Equation, Literal, Operand

LARGEST = 24
"""The side of the largest matrix: LAPACK, which blocks its loops, is quicker with larger ones."""

LARGEST_TRIANGLE = 384
"""The same of a triangular one: the rows that are solved stay in cache."""

TOGETHER = 4
"""So many rows are subtracted from another one at a time."""

MINORS = 6
"""The side of the largest matrix whose cofactors are determinants of its minors."""

SINGULAR, INDEFINITE = "Singular matrix", "Matrix is not positive definite"
"""NumPy's words for what a kernel cannot go on with."""


class Matrices(Writer):
    """Writes loops over matrices that lie in memory row by row.

    Args:
        scope: where.
        equation: the operation.
        sides: of its square matrices.
    """

    def __init__(self, scope: Scope, equation: Equation, largest: int = LARGEST) -> None:
        super().__init__(scope, equation, equation.specs[-1].dtype)
        shape = scope.spec(equation.operands[0]).shape
        self.side = shape[-1]
        if self.side > largest or any(scope.spec(o).dtype != self.dtype for o in equation.operands):
            raise Impossible(f"{equation.primitive.name} of {shape[-2]} x {shape[-1]} matrices, or of mixed dtypes")
        if self.dtype.kind != "f":
            raise Impossible(f"{equation.primitive.name} of {self.dtype.name}")

    # Memory.

    def copied(self, operand: Operand, shape: Shape) -> Buffer:
        """An operand in memory that may be written to."""
        return self.filled(self.emitter.allocate(shape, self.dtype), operand)

    def filled(self, target: Buffer, operand: Operand) -> Buffer:
        self.scope.copied(target, operand)
        return self.emitter.ready(target)

    def target(self, number: int = 0) -> Buffer:
        """Where a result goes."""
        out = self.equation.specs[number]
        return self.scope.target(self.equation.results[number], out.shape, out.dtype)

    @contextmanager
    def each(self, *buffers: Buffer) -> Iterator[list[str]]:
        """A loop over stacks: the addresses of one matrix of each."""
        self.emitter.flush()
        count = prod(buffers[0].shape[:-2])
        with self.loop(0, count) as number:
            yield [self.place(b, number, prod(b.shape[-2:])) for b in buffers]

    def place(self, buffer: Buffer, number: str, size: int) -> str:
        step = self.dtype.itemsize
        return self.let(f"shifted({buffer.base}, {number} * {size * step} + {buffer.offset * step})", "p")

    def note(self, words: str) -> None:
        """Tell the caller that it has to raise an error, by the number of a note: 1 is an index out of range."""
        emitter, source = self.emitter, self.equation.source
        emitter.checks = True
        emitter.notes.append(f"{self.equation.primitive.name}{f' ({source})' if source else ''}: {words}")
        emitter.line(f"store_int64(status, 0, i8({1 + len(emitter.notes)}))")

    # Elimination.

    def swap(self, base: str, one: str, other: str, length: int) -> None:
        """Exchange two rows."""
        with self.loop(0, length) as j:
            kept = self.let(self.at(base, f"{one} * {length} + {j}"))
            self.put(base, f"{one} * {length} + {j}", self.at(base, f"{other} * {length} + {j}"))
            self.put(base, f"{other} * {length} + {j}", kept)

    def subtract(self, base: str, row: str, factor: str, of: str, length: int, start: str | int = 0) -> None:
        """Subtract a multiple of a row from another one."""
        with self.loop(start, length) as j:
            place = f"{row} * {length} + {j}"
            self.put(base, place, f"{self.at(base, place)} - {factor} * {self.at(base, f'{of} * {length} + {j}')}")

    def eliminate(self, a: str, n: int, right: Sequence[tuple[str, int]] = (), sign: str = "", flag: str = "") -> None:
        """Make a matrix triangular, and do the same to the rows of others.

        Args:
            a: the address of the matrix.
            n: its side.
            right: the addresses of others, and how many columns they have.
            sign: a name that changes its sign with each exchange of rows.
            flag: a name that becomes True where the matrix is singular; without it that is an error.
        """
        with self.loop(0, n) as k:
            best, row = self.let(f"absolute({self.at(a, f'{k} * {n} + {k}')})", "b"), self.let(f"{k} + 0", "r")
            with self.loop(f"{k} + 1", n) as i:
                value = self.let(f"absolute({self.at(a, f'{i} * {n} + {k}')})")
                with self.inside(f"if {value} > {best}:"):
                    self.assign(best, value)
                    self.assign(row, i)
            if flag or not sign:
                with self.inside(f"if {best} == {self.number(0)}:"):
                    self.assign(flag, "True") if flag else self.note(SINGULAR)
            with self.inside(f"if {row} != {k}:"):
                for base, length in ((a, n), *right):
                    self.swap(base, k, row, length)
                if sign:
                    self.assign(sign, f"-{sign}")
            pivot = self.let(self.at(a, f"{k} * {n} + {k}"), "d")
            with self.inside(f"if {pivot} != {self.number(0)}:"), self.loop(f"{k} + 1", n) as i:
                factor = self.let(f"{self.at(a, f'{i} * {n} + {k}')} / {pivot}", "f")
                self.subtract(a, i, factor, k, n, f"{k} + 1")
                for base, length in right:
                    self.subtract(base, i, factor, k, length)

    def subtract_rows(self, b: str, i: str, a: str, factor: Callable[[str], str], columns: int, down: bool) -> None:
        """Subtract multiples of the rows that are solved from a row, some at a time: it is loaded and stored once.

        Args:
            b: the address of the right-hand sides.
            i: the row.
            a: the address of the matrix.
            factor: the place of a row's factor in it.
            columns: of the right-hand sides.
            down: whether the rows before are solved, or those behind.
        """
        first, last = ("0", i) if down else (f"{i} + 1", str(self.side))
        groups = self.let(f"({last} - ({first})) // {TOGETHER}", "w")
        with self.loop(0, groups) as group:
            rows = [self.let(f"{first} + {group} * {TOGETHER} + {each}", "r") for each in range(TOGETHER)]
            factors = [self.let(f"-{self.at(a, factor(row))}", "f") for row in rows]
            with self.loop(0, columns) as j:
                place = f"{i} * {columns} + {j}"
                value = self.let(self.at(b, place))
                for f, row in zip(factors, rows, strict=True):
                    value = self.let(f"fma({f}, {self.at(b, f'{row} * {columns} + {j}')}, {value})")
                self.put(b, place, value)
        with self.loop(f"{first} + {groups} * {TOGETHER}", last) as k:
            self.subtract(b, i, self.let(self.at(a, factor(k)), "f"), k, columns)

    def substitute(self, a: str, n: int, b: str, columns: int) -> None:
        """Solve with what elimination has left above the diagonal, from the last row up."""
        with self.loop(0, n) as step:
            i = self.let(f"{n - 1} - {step}", "i")
            with self.loop(f"{i} + 1", n) as k:
                factor = self.let(self.at(a, f"{i} * {n} + {k}"), "f")
                self.subtract(b, i, factor, k, columns)
            pivot = self.let(self.at(a, f"{i} * {n} + {i}"), "d")
            with self.loop(0, columns) as j:
                place = f"{i} * {columns} + {j}"
                self.put(b, place, f"{self.at(b, place)} / {pivot}")

    def divide_row(self, a: str, i: str, b: str, columns: int) -> None:
        """Divide a row by its element of the diagonal, which must not be zero."""
        pivot = self.let(self.at(a, f"{i} * {self.side} + {i}"), "d")
        with self.inside(f"if {pivot} == {self.number(0)}:"):
            self.note(SINGULAR)
        with self.loop(0, columns) as j:
            place = f"{i} * {columns} + {j}"
            self.put(b, place, f"{self.at(b, place)} / {pivot}")

    def determinant(self, a: str, n: int) -> str:
        """The product of the pivots; the matrix is overwritten.

        Where the product overflows or vanishes on the way, logarithms are added, as NumPy does: they err more.
        """
        sign = self.let(self.number(1), "t")
        self.eliminate(a, n, sign=sign)
        found = self.let(f"{sign} + {self.number(0)}", "t")
        with self.loop(0, n) as k:
            self.assign(found, f"{found} * {self.at(a, f'{k} * {n} + {k}')}")
        with self.inside(f"if not (absolute({found}) > {self.number(0)} and {found} - {found} == {self.number(0)}):"):
            total = self.logarithm(a, n, sign)
            self.assign(found, f"{sign} * exp({total})")
        return found

    def logarithm(self, a: str, n: int, sign: str) -> str:
        """The sum of the logarithms of the pivots; the sign becomes that of their product."""
        total = self.let(self.number(0), "t")
        with self.loop(0, n) as k:
            pivot, zero = self.let(self.at(a, f"{k} * {n} + {k}"), "d"), self.number(0)
            self.assign(sign, f"where({pivot} < {zero}, -{sign}, where({pivot} == {zero}, {zero}, {sign}))")
            self.assign(total, f"{total} + log(absolute({pivot}))")
        return total

    def cofactors(self, a: str, out: str, work: str, transposed: bool = False) -> None:
        """The determinants of the minors with their signs: of singular matrices, too."""
        n = self.side
        with self.loop(0, n) as row, self.loop(0, n) as column:
            with self.loop(0, n - 1) as i, self.loop(0, n - 1) as j:
                own = self.let(f"where({i} < {row}, {i}, {i} + 1)", "i")
                other = self.let(f"where({j} < {column}, {j}, {j} + 1)", "j")
                self.put(work, f"{i} * {n - 1} + {j}", self.at(a, f"{own} * {n} + {other}"))
            found = self.determinant(work, n - 1) if n > 1 else self.let(self.number(1), "t")
            odd = f"({row} + {column}) % 2 == 1"
            place = f"{column} * {n} + {row}" if transposed else f"{row} * {n} + {column}"
            self.put(out, place, f"where({odd}, -{found}, {found})")

    def minor_memory(self) -> str:
        """Memory for one minor."""
        side = max(self.side - 1, 1)
        return self.emitter.allocate((side, side), self.dtype).base


@handles("solve")
def solve(scope: Scope, equation: Equation) -> None:
    """Elimination with the right-hand sides beside, and substitution."""
    m = Matrices(scope, equation)
    shape = equation.specs[0].shape
    a = m.copied(equation.operands[0], (*shape[:-2], m.side, m.side))
    b = m.filled(m.target(), equation.operands[1])
    with m.each(a, b) as (one, other):
        m.eliminate(one, m.side, [(other, shape[-1])])
        m.substitute(one, m.side, other, shape[-1])
    scope.keep(equation, b)


@handles("solve_triangular")
def substituted(scope: Scope, equation: Equation) -> None:
    """Substitution, from the first row down or from the last one up."""
    m, params = Matrices(scope, equation, LARGEST_TRIANGLE), dict(equation.params)
    n, shape = m.side, equation.specs[0].shape
    a = m.copied(equation.operands[0], (*shape[:-2], n, n))
    b = m.filled(m.target(), equation.operands[1])
    down = params["lower"] != params["transposed"]
    with m.each(a, b) as (one, other), m.loop(0, n) as step:
        i = step if down else m.let(f"{n - 1} - {step}", "i")
        turned = params["transposed"]
        m.subtract_rows(other, i, one, lambda k: f"{k} * {n} + {i}" if turned else f"{i} * {n} + {k}", shape[-1], down)
        if not params["unit"]:
            m.divide_row(one, i, other, shape[-1])
    scope.keep(equation, b)


@handles("inv")
def inverse(scope: Scope, equation: Equation) -> None:
    """The solutions for unit vectors; with ``singular`` infinite limits where there is none."""
    limit = dict(equation.params)["singular"]
    m = Matrices(scope, equation, MINORS if limit else LARGEST)
    n, shape = m.side, equation.specs[0].shape
    a = m.copied(equation.operands[0], shape)
    original, work = (m.copied(equation.operands[0], shape), m.minor_memory()) if limit else (a, "")
    out = m.filled(m.target(), Literal(m.dtype.type(0)))
    with m.each(a, out, original) as (one, other, whole):
        with m.loop(0, n) as k:
            m.put(other, f"{k} * {n} + {k}", m.number(1))
        flag = m.let("False", "s") if limit else ""
        m.eliminate(one, n, [(other, n)], flag=flag)
        if not limit:
            m.substitute(one, n, other, n)
        else:
            with m.inside(f"if {flag}:"):  # every cofactor over zero
                m.cofactors(whole, other, work, transposed=True)
                with m.loop(0, n * n) as k:
                    m.put(other, k, f"{m.at(other, k)} / {m.number(0)}")
            with m.inside("else:"):
                m.substitute(one, n, other, n)
    scope.keep(equation, out)


@handles("det")
def determinant(scope: Scope, equation: Equation) -> None:
    """The product of the pivots."""
    m = Matrices(scope, equation)
    a = m.copied(equation.operands[0], scope.spec(equation.operands[0]).shape)
    out = m.target()
    with m.loop(0, prod(out.shape)) as number:
        m.put(out.base, f"{number} + {out.offset}", m.determinant(m.place(a, number, m.side**2), m.side))
    scope.keep(equation, out)


@handles("slogdet")
def sign_and_logarithm(scope: Scope, equation: Equation) -> None:
    """The sign of the product of the pivots, and the sum of their logarithms."""
    m = Matrices(scope, equation)
    n = m.side
    a = m.copied(equation.operands[0], scope.spec(equation.operands[0]).shape)
    signs, logarithms = m.target(0), m.target(1)
    with m.loop(0, prod(signs.shape)) as number:
        one = m.place(a, number, n**2)
        sign = m.let(m.number(1), "t")
        m.eliminate(one, n, sign=sign)
        total = m.logarithm(one, n, sign)
        m.put(signs.base, f"{number} + {signs.offset}", sign)
        m.put(logarithms.base, f"{number} + {logarithms.offset}", total)
    scope.keep(equation, signs, logarithms)


@handles("cofactor")
def cofactor_matrices(scope: Scope, equation: Equation) -> None:
    """The determinants of all minors."""
    m = Matrices(scope, equation, MINORS)
    a = m.copied(equation.operands[0], equation.specs[0].shape)
    out, work = m.target(), m.minor_memory()
    with m.each(a, out) as (one, other):
        m.cofactors(one, other, work)
    scope.keep(equation, out)


@handles("cholesky")
def triangular_factor(scope: Scope, equation: Equation) -> None:
    """Cholesky factors, of the triangle that is read."""
    m = Matrices(scope, equation)
    n, upper = m.side, dict(equation.params)["upper"]
    a = m.copied(equation.operands[0], equation.specs[0].shape)
    out = m.filled(m.target(), Literal(m.dtype.type(0)))

    def place(row: str, column: str) -> str:
        return f"{column} * {n} + {row}" if upper else f"{row} * {n} + {column}"

    with m.each(a, out) as (one, other), m.loop(0, n) as j, m.loop(j, n) as i:
        total = m.let(m.at(one, place(i, j)), "t")
        with m.loop(0, j) as k:
            m.assign(total, f"{total} - {m.at(other, place(i, k))} * {m.at(other, place(j, k))}")
        with m.inside(f"if {i} == {j}:"):
            with m.inside(f"if {total} <= {m.number(0)}:"):  # NaN go on, as through LAPACK
                m.note(INDEFINITE)
                m.assign(total, m.number(1))
            m.put(other, place(j, j), f"sqrt({total})")
        with m.inside("else:"):
            m.put(other, place(i, j), f"{total} / {m.at(other, place(j, j))}")
    scope.keep(equation, out)
