"""The page that says what may stand for an array or number. Its table is filled by trying.

``python -m tests.trace.foreign.page`` writes ``docs/values.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import autodiff
from autodiff.trace.errors import AutodiffError
from autodiff.trace.values.foreign import remedy
from tests.trace.foreign.kinds import KINDS, Make, Number
from tests.trace.foreign.libraries import Wrapping, taken
from tests.trace.foreign.programs import PLACES, VALUES, X
from tests.trace.foreign.transformations import kernelless
from tests.trace.foreign.verdicts import LINE, quietly, traced_objects

PAGE = Path(__file__).parents[3] / "docs" / "values.md"

HEAD = """# What may stand for an array or a number

Arrays and numbers of known kinds take part in computations. Everything else is **refused wherever it could take part, by an error that says what to
write instead**. The reason: other array-like objects attach something to their numbers (masks, units, labels that align operands), or compute outside of
autodiff, and a derivative would silently ignore that.

There are two exceptions:

- **Keys and assigned values.** In `x[k]` only positions matter, and in `x[...] = k` NumPy itself takes nothing but the numbers. Both accept whatever NumPy's
  `asarray` accepts.
- **Wrappers.** An operator leaves the work to an object that can hold any array. `quantity * x` is a quantity that holds a traced value;
  continue with `(quantity * x).magnitude`. The function must not return the quantity itself.

`python -m tests.trace.foreign.page` writes this page. It tries every cell, with `k` as the object and a traced `x`. *wraps* means that the
result is an object of that kind which holds the traced value.

| object | argument | result | `x * k` | `np.arctan2(x, k)` | `x[k]` | `x[...] = k` | in its place |
|---|---|---|---|---|---|---|---|
"""

TAIL = """
- **Arrays of Python objects** are what `DataFrame.values` returns for mixed columns. If all elements are numbers of Python or NumPy, each operation
  converts them to the dtype that holds all of them exactly. Convert them once, with `x.astype(float)`, if that takes time. A `Variable` holds its array by reference and
  therefore refuses them.
- **Subclasses of `numpy.ndarray`** count as arrays if they change nothing that computes. A subclass may carry a name or a unit; results under `jit`
  do not have it.
- **Trees** hold arguments and results: tuples, lists, dictionaries, named tuples, dataclasses, attrs classes and classes given to
  `autodiff.register_tree` ([trees](trees.md)). With `has_aux=True` the second result may be anything.
- **Keys and masks** of pandas and similar libraries work: `x[table["age"] > 30]`.

## Where a traced array is not an array

- `isinstance(x, np.ndarray)` is False: a traced array is not a block of memory, and code that treats it as one would read nothing or lose the
  derivative. Test `hasattr(x, "shape")` or `np.ndim(x)` instead.
- `np.asarray(x)` raises for the same reason. Omit it, or write `np.asarray(x, like=x)`.
- `np.array([[a, b], [c, d]])` of traced numbers raises, because NumPy's protocols do not cover it. Write `autodiff.numpy.array([[a, b], [c, d]])`,
  `np.array([[a, b], [c, d]], like=x)` or `np.block`. `np.stack` takes lists of traced values that are not nested.
- Writing a traced number into a plain array raises. Make the array with `np.zeros_like(x)` or `np.zeros(n, like=x)`. For a `Variable` outside
  of all transformations, NumPy replaces the error by its own, `setting an array element with a sequence`. Python prints our error above it, as its cause; that
  one says what to do.
- An array of Python objects can hold traced numbers, and NumPy's loops over it are right: `np.sum(a)`. It cannot be an operand or a result;
  `autodiff.numpy.array(a)` makes a traced array of it.
- `grad(f)`, `jit(f)` and so on can be pickled if `f` can; lambdas and functions inside of functions cannot.
"""


class Row(NamedTuple):
    """A row: what users call it, a maker of one from numbers, and whether it is made of numbers that are traced."""

    title: str
    make: Make
    of_traced: bool = False

    def beside(self, x: Any, values: Any = VALUES) -> Any:
        """One of it, where ``x`` is traced."""
        return quietly(self.make, x if self.of_traced else values)


ROWS = (
    Row("`numpy.ndarray` of booleans, integers, floating-point and complex numbers", KINDS["ndarray"]),
    Row("NumPy's scalars; `bool`, `int`, `float`, `complex`, classes made of them (`IntEnum`)", lambda _: Number.TWO),
    Row("`numpy.memmap`, `numpy.recarray`, subclasses that change nothing that computes", KINDS["subclass with an attribute"]),
    Row("arrays of dtype object: numbers of Python and NumPy", KINDS["objects that are numbers"]),
    Row("arrays of dtype object: traced values", traced_objects, of_traced=True),
    Row("arrays of dtype object: anything else, such as `None`, text, uncertain numbers", KINDS["objects with None"]),
    Row("`numpy.ma.MaskedArray`", KINDS["MaskedArray"]),
    Row("`numpy.matrix`", KINDS["matrix"]),
    Row("subclasses with operators, methods or ufuncs of their own, such as astropy's quantities", KINDS["subclass with ufuncs of its own"]),
    Row("series and tables (pandas, polars)", KINDS["Series"]),
    Row("labelled arrays (xarray)", KINDS["DataArray"]),
    Row("quantities that hold any array (pint)", KINDS["Quantity"]),
    Row("lazy arrays other than Dask's", KINDS["Lazy"]),
    Row("sparse matrices (SciPy)", KINDS["Sparse"]),
    Row("tensors of other frameworks", KINDS["Tensor"]),
    Row("classes of your own with `shape` and `dtype`", KINDS["Own"]),
    Row("`Fraction`, `Decimal`", lambda _: Fraction(1, 2)),
)  # fmt: skip


def what_becomes(*uses: Callable[[], Any]) -> str:
    """What becomes of an object in all of these uses: ``taken``, ``refused``, or ``wraps`` the traced value.

    Raises:
        AssertionError: if it is not the same in all of them.
    """
    found = set()
    for use in uses:
        try:
            found.add("wraps" if isinstance(quietly(use), Wrapping) else "taken")
        except (AutodiffError, TypeError, IndexError) as error:
            found.add("refused" if LINE.search(str(error)) else f"refused without a line: {error}")
    assert len(found) == 1, found
    return found.pop()


def with_x(function: Callable[[Any, Any], Any], row: Row) -> Callable[[], Any]:
    """What a function of a traced x and the object gives, while x is traced, and its derivative is taken."""
    results: list[Any] = []

    def of_x(x: Any) -> Any:
        results.append(function(x, row.beside(x)))
        return np.sum(taken(results[0]))

    return lambda: (autodiff.grad(of_x)(X), results[0])[1]


def as_result(row: Row) -> str:
    def f(x: Any) -> Any:
        return row.beside(x)

    return what_becomes(
        lambda: autodiff.jacobian(lambda x: 1.0 * f(x) if row.title.startswith("NumPy's") else f(x))(X),
        lambda: autodiff.jvp(f, (X,), (X,)),
        lambda: kernelless(f)(X),
        lambda: autodiff.vmap(f)(np.stack([X, X])),
        lambda: autodiff.grad(lambda x: np.sum(x[0] * autodiff.scan(lambda c, _: (c, f(c)), x, None, length=1)[1]))(X),
    )


def as_argument(row: Row) -> str:
    if row.of_traced:
        return "refused"  # there is none outside
    k = row.beside(X)
    return what_becomes(
        lambda: kernelless(lambda x, k: x * k)(X, k),
        lambda: autodiff.make_tape(lambda x, k: x * k)(X, k),
        lambda: autodiff.fori_loop(0, 1, lambda _, carry: carry, k),
    )


def in_operator(row: Row) -> str:
    return what_becomes(with_x(lambda x, k: x * k, row), with_x(lambda x, k: x + k, row))


def in_function(row: Row) -> str:
    return what_becomes(with_x(np.arctan2, row))


def as_key(row: Row) -> str:
    if row.of_traced:
        return "refused"
    return what_becomes(with_x(lambda x, _: x[row.beside(x, PLACES)], row))


def as_assigned(row: Row) -> str:
    def assigned(x: Any, k: Any) -> Any:
        y = x * 2.0
        y[...] = k
        return y * x

    return what_becomes(with_x(assigned, row))


def cells(row: Row) -> list[str]:
    """The cells of a row."""
    uses = [as_argument(row), as_result(row), in_operator(row), in_function(row), as_key(row), as_assigned(row)]
    remedies: list[str] = []
    autodiff.grad(lambda x: (remedies.append(remedy(row.beside(x))), np.sum(x))[1])(X)
    return [row.title, *uses, *remedies]


def page() -> str:
    """The whole page."""
    return HEAD + "".join(f"| {' | '.join(cells(row))} |\n" for row in ROWS) + TAIL


if __name__ == "__main__":
    PAGE.write_text(page())
