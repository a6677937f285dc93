"""All programs by module and function, and the page that says which there are."""

from pathlib import Path

import scipy

from tests.scipy.programs import distributions, formulas, interpolating, linear, python_code, samples, signals, solving

PAGE = Path(__file__).parents[3] / "docs" / "scipy-programs.md"


def all_programs():
    """The programs of each module, by the name of the function."""
    return {
        "special": formulas.special_programs(),
        "stats": {**formulas.stats_programs(), **distributions.MULTIVARIATE, **samples.SUMMARIES},
        "stats.contingency": python_code.CONTINGENCY,
        "stats.qmc": python_code.QMC,
        "linalg": {**linear.LINALG, **python_code.LINALG},
        "optimize": {**solving.OPTIMIZE, **python_code.OPTIMIZE},
        "integrate": solving.INTEGRATE,
        "interpolate": interpolating.INTERPOLATE,
        "sparse": linear.SPARSE,
        "sparse.linalg": linear.SPARSE_LINALG,
        "sparse.csgraph": python_code.CSGRAPH,
        "signal": {**signals.SIGNAL, **python_code.SIGNAL},
        "signal.windows": python_code.WINDOWS,
        "ndimage": {**signals.NDIMAGE, **python_code.NDIMAGE},
        "cluster.vq": solving.CLUSTER,
        "spatial": {**solving.SPATIAL, **python_code.SPATIAL},
        "spatial.distance": solving.DISTANCE,
        "spatial.transform": solving.ROTATION,
        "fft": signals.FFT,
        "fftpack": python_code.FFTPACK,
        "constants": python_code.CONSTANTS,
    }


def page(programs):
    """How many programs there are of each module."""
    count = sum(map(len, programs.values()))
    lines = [
        "# Programs over SciPy that are checked",
        "",
        "Written by `python -m tests.scipy.programs`, which runs one program for each function that",
        "[the table](scipy-coverage.md) calls differentiated, and writes this page if all are right: the value is that of",
        "SciPy's own function, the gradient by each argument in reverse mode agrees with central differences of SciPy's",
        "values, and a derivative in forward mode with the gradient. Distributions are differentiated by the argument and",
        "all smooth parameters, functions of `scipy.special` by all real operands. The tests of the suite check more of",
        "the same functions: second derivatives, batches, compiled programs, dtypes.",
        "",
        f"{count} programs, SciPy {scipy.__version__}.",
        "",
        "| module | programs |",
        "|---|---|",
        *(f"| `scipy.{module}` | {len(its)} |" for module, its in programs.items()),
    ]
    return "\n".join(lines) + "\n"
