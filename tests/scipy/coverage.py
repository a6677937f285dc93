"""What is differentiated of SciPy's public names; and the table that says so, of trials.

``python -m tests.scipy.coverage`` calls every name in every mode, and writes ``docs/scipy-coverage.md``, in some minutes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from autodiff.scipy import linalg, ndimage, optimize, signal, sparse, special, stats
from tests.scipy.observed import (
    CONSTANT,
    DIFFERENTIATED,
    MODES,
    OBSCURE,
    REFUSED,
    SILENT,
    UNLIKE,
    of_constant,
    of_program,
    of_refusal,
)
from tests.scipy.programs.table import all_programs

PAGE = Path(__file__).parents[2] / "docs" / "scipy-coverage.md"
MODULES = (
    "special", "stats", "stats.distributions", "stats.contingency", "stats.mstats", "stats.qmc", "stats.sampling", "linalg",
    "linalg.blas", "linalg.lapack", "linalg.interpolative", "optimize", "optimize.elementwise", "integrate", "differentiate",
    "interpolate", "sparse", "sparse.linalg", "sparse.csgraph", "signal", "signal.windows", "ndimage", "cluster", "cluster.vq",
    "cluster.hierarchy", "spatial", "spatial.distance", "spatial.transform", "fft", "fftpack", "odr", "constants", "datasets",
    "io", "io.arff", "io.matlab", "io.wavfile",
)  # fmt: skip

x, y = np.array([0.4, 1.1, 2.3, 0.9, 1.7]), np.array([1.2, 0.3, 0.8, 2.5, 1.9])
CONSTANTS = {
    "special": {"gammasgn": special.gammasgn, "round": special.round},
    "optimize": {
        "linear_sum_assignment": lambda x: optimize.linear_sum_assignment(np.outer(np.sin(x), y)),
    },
    "sparse": {"issparse": sparse.issparse},
    "linalg": {
        "bandwidth": lambda x: linalg.bandwidth(np.diag(x)),
        **{name: lambda x, name=name: getattr(linalg, name)(np.outer(x, x)) for name in ("issymmetric", "ishermitian")},
    },
    "signal": {
        "argrelextrema": lambda x: signal.argrelextrema(x, np.greater),
        "argrelmax": signal.argrelmax,
        "argrelmin": signal.argrelmin,
        "find_peaks_cwt": lambda x: signal.find_peaks_cwt(x, [1.0, 2.0]),
        "check_COLA": lambda x: signal.check_COLA(x, 5, 2),
        "check_NOLA": lambda x: signal.check_NOLA(x, 5, 2),
    },
    "ndimage": {
        **{
            name: lambda x, name=name: getattr(ndimage, name)(np.outer(x, y) > 1.0).astype(int)
            for name in [
                "binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss",
                "binary_opening", "binary_propagation",
            ]
        },
        "label": lambda x: ndimage.label(np.outer(x, y) > 1.0),
        "maximum_position": lambda x: ndimage.maximum_position(np.outer(x, y)),
        "minimum_position": lambda x: ndimage.minimum_position(np.outer(x, y)),
        "find_objects": lambda x: len(ndimage.find_objects((x > 1.0).astype(int))),
        "value_indices": lambda x: len(ndimage.value_indices((x > 1.0).astype(int))),
        "watershed_ift": lambda x: ndimage.watershed_ift((x > 1.0).astype(np.uint8), np.arange(5)),
    },
    "stats": {
        "rankdata": stats.rankdata,
        "tiecorrect": stats.tiecorrect,
        "hypergeom": lambda x: stats.hypergeom.pmf(np.round(x), 20, 7, 12),
        "nhypergeom": lambda x: stats.nhypergeom.pmf(np.round(x), 20, 7, 12),
        "randint": lambda x: stats.randint.pmf(np.round(x), 1, 7),
        **{
            name: lambda x, name=name: tuple(getattr(stats, name)(x, y))[:2]
            for name in ["spearmanr", "kendalltau", "mannwhitneyu", "wilcoxon", "ranksums", "kruskal", "ansari", "mood", "brunnermunzel", "fligner", "ks_2samp"]
        },
        **{
            name: lambda x, name=name: [getattr(stats, name)(x, y).statistic, getattr(stats, name)(x, y).pvalue]
            for name in ["spearmanrho", "somersd", "chatterjeexi", "weightedtau", "cramervonmises_2samp", "bws_test"]
            if hasattr(stats, name)
        },
        "friedmanchisquare": lambda x: tuple(stats.friedmanchisquare(x, y, y[::-1])),
        "page_trend_test": lambda x: stats.page_trend_test(np.outer(x, y)).statistic,
        "anderson_ksamp": lambda x: stats.anderson_ksamp([x, y]).statistic,
        "percentileofscore": lambda x: stats.percentileofscore(x, 1.0),
        "quantile_test": lambda x: stats.quantile_test(x, q=1.0, p=0.5).pvalue,
    },
}  # fmt: skip
"""Functions whose results are whole numbers, or are made of ranks and counts, with a call each."""

HOLD = {
    "optimize": "OptimizeResult RootResults",
    "special": "errstate geterr seterr",
    "sparse.linalg": "SuperLU",
}
"""Classes that keep what they are given, and functions that take no number."""


def names(module: str) -> Iterator[tuple[str, Any, Any]]:
    """The public functions, classes and numbers of a module of SciPy, each with what stands for it here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of odr, whose page shall be written without a word
        theirs, ours = import_module(f"scipy.{module}"), import_module(f"autodiff.scipy.{module}")
    for name in sorted(set(getattr(theirs, "__all__", dir(theirs)))):
        original = getattr(theirs, name, None)
        if name.startswith("_") or isinstance(original, ModuleType) or original is None:
            continue
        if isinstance(original, type) and issubclass(original, (Exception, Warning)):
            continue
        yield name, original, getattr(ours, name)


def trial(module: str, name: str, original: Any, own: Any) -> tuple[str, ...]:
    """What happens to a name in each mode, tried."""
    programs = PROGRAMS.get(module, {})
    if name in programs:
        return of_program(programs[name])
    if name in CONSTANTS.get(module, {}):
        return of_constant(CONSTANTS[module][name], x)
    if name in HOLD.get(module, "").split() or not (callable(original) or hasattr(original, "rvs")):
        return (CONSTANT,) * len(MODES)
    if module == "stats.distributions" and own is getattr(stats, name, None):
        return trial("stats", name, original, own)
    return of_refusal(f"scipy.{module}.{name}", own)


PROGRAMS = all_programs()


def table(modules: tuple[str, ...] = MODULES) -> dict[str, dict[str, tuple[str, ...]]]:
    """What happens to each name of each module in each mode, tried."""
    return {
        module: {name: trial(module, name, original, own) for name, original, own in names(module)}
        for module in modules
    }


def page(found: dict[str, dict[str, tuple[str, ...]]]) -> str:
    """The table as a page of the documentation."""
    each = [kinds for names in found.values() for kinds in names.values()]
    count = {kind: sum(kinds[0] == kind for kinds in each) for kind in (DIFFERENTIATED, CONSTANT, REFUSED)}
    lines = [
        "# Which of SciPy's functions can be differentiated",
        "",
        "Written by `python -m tests.scipy.coverage` from SciPy's own namespaces, of trials: each name is called with a",
        "traced value in reverse mode, in forward mode, under `vmap` and under `jit`. *Differentiated*: the derivative is",
        "that of differences of SciPy's values, and the values are SciPy's; *constant*: values that do not change, numbers, or",
        "objects that keep what they are given; *refused*: an error says so, for functions and classes by their name. The names",
        "are those of `autodiff.scipy`, which stands for `scipy`; the ufuncs of `scipy.special` take traced values as they are.",
        "Where a function decides by values what it does, SciPy is called back under `vmap` and `jit` when the program runs.",
        "The interfaces for Cython, of `linalg`, `optimize` and `special`, are left out.",
        "",
        f"{len(each)} names: {count[DIFFERENTIATED]} differentiated, {count[CONSTANT]} constant, {count[REFUSED]} refused",
        f"(SciPy {scipy.__version__}); {len(found['stats.distributions'])} of them are `stats`' distributions by another name.",
    ]
    for module, names in found.items():
        lines += ["", f"## scipy.{module}"]
        for kinds, group in groupby(sorted(names.items(), key=lambda item: (item[1], item[0])), lambda item: item[1]):
            own = [name for name, _ in group]
            lines += ["", f"**{heading(kinds)}** ({len(own)}): {' '.join(f'`{name}`' for name in own)}"]
    return "\n".join(lines) + "\n"


def heading(kinds: tuple[str, ...]) -> str:
    """What happens in each mode, in words."""
    if len(set(kinds)) == 1:
        return f"{kinds[0]} in all modes"
    return ", ".join(f"{mode}: {kind}" for mode, kind in zip(MODES, kinds, strict=True))


def read(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """The table that a page shows."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in text.splitlines():
        if line.startswith("## scipy."):
            names = found[line.removeprefix("## scipy.")] = {}
        elif line.startswith("**"):
            said, _, own = line.removeprefix("**").partition("** (")
            kinds = tuple(part.partition(": ")[2] for part in said.split(", "))
            kinds = kinds if len(kinds) == len(MODES) else (said.removesuffix(" in all modes"),) * len(MODES)
            names.update(dict.fromkeys((name.strip("`") for name in own.partition("): ")[2].split()), kinds))
    return found


def bad(found: dict[str, dict[str, tuple[str, ...]]]) -> list[str]:
    """The names of which a trial ended as none may."""
    return [
        f"scipy.{module}.{name}: {heading(kinds)}"
        for module, names in found.items()
        for name, kinds in names.items()
        if {UNLIKE, OBSCURE, SILENT} & set(kinds)
    ]


if __name__ == "__main__":
    tried = table(tuple(sys.argv[1:]) or MODULES)
    if bad(tried):
        sys.exit("\n".join(bad(tried)))
    if not sys.argv[1:]:
        PAGE.write_text(page(tried))
