"""Records which dtypes the ufuncs of the installed CuPy compute in. Run as ``python -m tests.standin.record_dtypes``.

No GPU is needed: CuPy itself is asked for the loop that it would run, by the function that its calls ask. ml_dtypes has
to be installed, for bfloat16. The stand-in (see :mod:`tests.standin.ufuncs`) chooses its loops by the file that is
written, where it has them.
"""

import json
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np

from tests.standin.record import is_ufunc, members

DTYPES = Path(__file__).with_name("dtypes.json")
MODULES = ("cupy", "cupyx.scipy.special")
ARRAYS = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
WEAK = {"truth": bool, "int": int, "float": float, "complex": complex}
"""Python's numbers by how they are called here; those of NumPy are like arrays."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NONE = "."
MOST = 2
"""Inputs of the functions whose loops are recorded: all kinds of more are too many."""


def main():
    """Write the file."""
    import cupy
    import ml_dtypes

    found = {"cupy": cupy.__version__, "ml_dtypes": ml_dtypes.__version__, "kinds": [*ARRAYS, *WEAK], "ufuncs": {}}
    for module in MODULES:
        ufuncs = {name: each for name, each in members(import_module(module)) if is_ufunc(each) and each.nin <= MOST}
        found["ufuncs"][module] = {name: table(each, ("",) * each.nin) for name, each in ufuncs.items()}
    where = import_module("cupy._sorting.search")._where_ufunc
    found["ufuncs"]["cupy"]["where"] = table(where, ("bool", "", ""))
    DTYPES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def table(function, fixed):
    """The loops of a ufunc, and the number of the one for each choice of kinds, one letter each.

    Args:
        function: the ufunc.
        fixed: the kinds of its inputs that are always the same; empty for those that are chosen.
    """
    loops, letters = [], []
    for kinds in product(*((one,) if one else (*ARRAYS, *WEAK) for one in fixed)):
        loop = chosen(function, kinds)
        if loop is not None and loop not in loops:
            loops.append(loop)
        letters.append(NONE if loop is None else DIGITS[loops.index(loop)])
    return {"loops": loops, "chosen": "".join(letters)}


def chosen(function, kinds):
    """The loop for these kinds, as "float32 float32->float32"; None where CuPy refuses them."""
    if all(kind in WEAK for kind in kinds):
        return None
    types = tuple(np.dtype(WEAK.get(kind) or named(kind)) for kind in kinds)
    weak = tuple(WEAK.get(kind, False) for kind in kinds)
    if not gives_way(types, weak):
        weak = (False,) * len(kinds)
    try:
        loop = function._ops._guess_routine_from_in_types(types, weak)
    except TypeError:
        return None
    return (
        None if loop is None else "->".join(" ".join(each.name for each in t) for t in (loop.in_types, loop.out_types))
    )


def gives_way(types, weak):
    """Whether Python's numbers take the kind of arrays: no array may be of a lower kind. CuPy asks that first, by a
    function that Python cannot call."""
    arrays = [rank(kind.type) for kind, number in zip(types, weak, strict=True) if not number]
    numbers = [rank(number) for number in weak if number]
    return not numbers or max(numbers) <= max(arrays)


def rank(kind):
    """Truth values below whole numbers below all others; CuPy counts bool as whole."""
    ranks = (np.bool_,), (np.integer, int), (np.inexact, float, complex)
    return next((place for place, kinds in enumerate(ranks) if issubclass(kind, kinds)), len(ranks))


def named(kind):
    """The dtype of a name."""
    import ml_dtypes

    return ml_dtypes.bfloat16 if kind == "bfloat16" else kind


if __name__ == "__main__":
    main()
