"""NumPy's functions by their names, for plain and traced values alike.

The modules of this folder enter their functions in the tables of :mod:`autodiff.numpy.dispatch`, by which NumPy's own
functions find them. All names of NumPy are here, too (``autodiff.numpy.take``): functions that take traced values
anywhere among their arguments, and make arrays to which traced values can be written; types and constants as they are.

>>> import autodiff.numpy as np
>>> from autodiff import grad
>>> def program(x):
...     out = np.zeros(3)
...     out[0] = x**2
...     return np.linalg.norm([out[0], 2.0 * x])
>>> grad(program)(1.5)
3.4
"""

from typing import Any

from autodiff.numpy import (
    array_api,
    attributes,
    buffers,
    concatenators,
    emath,
    fft,
    linalg,
    mapping,
    mathematics,
    methods,
    namespace,
    python_functions,
    queries,
    refused,
    ufunc_methods,
    updates,
)
from autodiff.numpy.algebra import convolution, diagonals, norms, polynomials, products, subscripts
from autodiff.numpy.arrays import (
    arranging,
    creation,
    joining,
    memory_order,
    new_layouts,
    padding,
    ranges,
    shapes,
    splitting,
    views,
)
from autodiff.numpy.elements import comparing, complexes, differences, elementwise, interpolation, rounding
from autodiff.numpy.items import assignment, choosing, in_place, indexing, inserting, ufunc_at
from autodiff.numpy.statistics import (
    counting,
    covariances,
    cumulative,
    moments,
    nans,
    quantiles,
    reductions,
    sorting,
    truth,
)
from autodiff.ops import operators

new_layouts.install()
views.install()
for _name in ("linalg", "fft", "emath"):  # whole modules: what the files of these names add are derivatives
    globals()[_name] = namespace.lookup(_name)

ufunc_methods.register()  # of all ufuncs, once every module has entered its own

__all__ = [
    "arranging",
    "array_api",
    "assignment",
    "attributes",
    "buffers",
    "choosing",
    "comparing",
    "complexes",
    "concatenators",
    "convolution",
    "counting",
    "covariances",
    "creation",
    "cumulative",
    "diagonals",
    "differences",
    "elementwise",
    "emath",
    "fft",
    "in_place",
    "indexing",
    "inserting",
    "interpolation",
    "joining",
    "linalg",
    "mapping",
    "mathematics",
    "memory_order",
    "methods",
    "moments",
    "namespace",
    "nans",
    "new_layouts",
    "norms",
    "operators",
    "padding",
    "polynomials",
    "products",
    "python_functions",
    "quantiles",
    "queries",
    "ranges",
    "reductions",
    "refused",
    "rounding",
    "shapes",
    "sorting",
    "splitting",
    "subscripts",
    "truth",
    "ufunc_at",
    "ufunc_methods",
    "updates",
    "views",
]


def __getattr__(name: str) -> Any:
    return namespace.lookup(name)
