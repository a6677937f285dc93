"""What is differentiated of SciPy's public functions; and the table that says so.

``python -m tests.scipy.coverage`` writes ``docs/scipy-coverage.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import scipy
import scipy.special

from autodiff.numpy.dispatch import UFUNCS, late_ufunc
from autodiff.scipy.stats.distribution import Distribution
from autodiff.scipy.stats.multivariate_normal import MultivariateNormal

PAGE = Path(__file__).parents[2] / "docs" / "scipy-coverage.md"
MODULES = (
    "special", "stats", "linalg", "optimize", "integrate", "interpolate", "sparse", "sparse.linalg", "signal", "ndimage",
    "cluster.vq", "spatial", "spatial.distance", "spatial.transform", "fft",
)  # fmt: skip
CALLED_BACK = {
    "optimize": "*",
    "integrate": "quad dblquad tplquad solve_ivp odeint",
    "sparse.linalg": "cg bicgstab gmres minres bicg cgs gcrotmk lgmres qmr tfqmr eigsh svds",
    "linalg": "solve_continuous_are solve_discrete_are",
}
"""Functions that decide by values what they do: under vmap and jit SciPy is called back when the program runs."""

KINDS = {
    "every": "Differentiated in reverse and forward mode, to any order, under vmap and jit",
    "values": "Differentiated in reverse and forward mode, to any order; under vmap and jit SciPy is called back when the "
    "program runs, for each example",
    "constant": "Constant: piecewise, or made of whole numbers",
    "refused": "Refused: called with a traced value, the function says so by name",
    "class": "Classes and objects of SciPy's own: what they convert to plain arrays is refused with the user's line",
}
CONSTANT = {
    "special": "gammasgn round",
    "optimize": "linear_sum_assignment",
    "sparse": "issparse",
}


ASKED = {"special": ("zeta", "lambertw", "sinc")}
"""Functions that hand their arguments on to others, which ask them."""


def names(module: str) -> Iterator[tuple[str, Any, Any]]:
    """The public functions and classes of a module of SciPy, each with what stands for it here."""
    late_ufunc(scipy.special.erf)
    theirs, ours = import_module(f"scipy.{module}"), import_module(f"autodiff.scipy.{module}")
    for name in sorted(set(getattr(theirs, "__all__", dir(theirs)))):
        original = getattr(theirs, name, None)
        if name.startswith("_") or isinstance(original, ModuleType) or original is None:
            continue
        if isinstance(original, type) and issubclass(original, (Exception, Warning)):
            continue
        if callable(original) or hasattr(original, "pdf") or hasattr(original, "pmf"):
            yield name, original, getattr(ours, name)


def kind_of(module: str, name: str, own: Any) -> str:
    """In which modes a function is differentiated; empty where nobody has decided."""
    if name in CONSTANT.get(module, "").split():
        return "constant"
    if isinstance(own, np.ufunc):
        return "every" if own in UFUNCS else ""
    if isinstance(own, Distribution):
        return "every"
    if "refused" in getattr(own, "__dict__", {}):
        return "refused"
    if getattr(own, "__module__", "").startswith("autodiff"):
        chosen = CALLED_BACK.get(module, "")
        return "values" if chosen == "*" or name in chosen.split() else "every"
    if isinstance(own, MultivariateNormal) or name in ASKED.get(module, ""):
        return "every"
    return "class" if isinstance(own, type) or hasattr(own, "pdf") or not isinstance(own, FunctionType) else ""


def table() -> dict[str, dict[str, str]]:
    """The kind of each name of each module."""
    return {module: {name: kind_of(module, name, own) for name, _, own in names(module)} for module in MODULES}


def page() -> str:
    """The table as a page of the documentation."""
    found = table()
    own = [kind for kinds in found.values() for kind in kinds.values() if kind != "class"]
    differentiated = sum(kind in ("every", "values") for kind in own)
    lines = [
        "# Which of SciPy's functions can be differentiated",
        "",
        "Written by `python -m tests.scipy.coverage` from SciPy's own namespaces. The names are those of `autodiff.scipy`,",
        "which stands for `scipy`; the ufuncs of `scipy.special` take traced values as they are.",
        "",
        f"{differentiated} of {len(own)} functions and distributions (SciPy {scipy.__version__}).",
    ]
    for module, kinds in found.items():
        lines += ["", f"## scipy.{module}"]
        for kind, text in KINDS.items():
            chosen = [name for name, its in kinds.items() if its == kind]
            if chosen:
                lines += ["", f"**{text}** ({len(chosen)}): {' '.join(f'`{name}`' for name in chosen)}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
