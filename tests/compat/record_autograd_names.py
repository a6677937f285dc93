"""Writes down autograd's public names, under an interpreter that has it: python -m tests.compat.record_autograd_names."""

import importlib
import json
import types
from pathlib import Path

TABLE = Path(__file__).with_name("autograd_names.json")
MODULES = [
    "autograd",
    "autograd.builtins",
    "autograd.core",
    "autograd.differential_operators",
    "autograd.extend",
    "autograd.misc",
    "autograd.misc.fixed_points",
    "autograd.misc.flatten",
    "autograd.misc.optimizers",
    "autograd.misc.tracers",
    "autograd.numpy",
    "autograd.numpy.fft",
    "autograd.numpy.linalg",
    "autograd.numpy.numpy_boxes",
    "autograd.numpy.numpy_vjps",
    "autograd.numpy.numpy_vspaces",
    "autograd.numpy.numpy_wrapper",
    "autograd.numpy.random",
    "autograd.scipy",
    "autograd.scipy.integrate",
    "autograd.scipy.linalg",
    "autograd.scipy.signal",
    "autograd.scipy.special",
    "autograd.scipy.stats",
    "autograd.scipy.stats.beta",
    "autograd.scipy.stats.chi2",
    "autograd.scipy.stats.dirichlet",
    "autograd.scipy.stats.gamma",
    "autograd.scipy.stats.multivariate_normal",
    "autograd.scipy.stats.norm",
    "autograd.scipy.stats.poisson",
    "autograd.scipy.stats.t",
    "autograd.test_util",
    "autograd.tracer",
    "autograd.util",
    "autograd.wrap_util",
]


def names_of(name: str) -> list[str]:
    """The names that a module of autograd defines, or has from NumPy or SciPy: not what it imports for its own use."""
    module, original = importlib.import_module(name), model_of(name)
    return sorted(
        key for key, value in vars(module).items() if not key.startswith("_") and belongs(key, value, name, original)
    )


def belongs(key: str, value: object, name: str, original: object) -> bool:
    """Whether a name is the module's own."""
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{name}.{key}"
    if original is not None and hasattr(original, key):
        return name.count(".") == 1 or not isinstance(getattr(original, key), types.ModuleType)
    return name == "autograd" or name == "autograd.extend" or getattr(value, "__module__", name) == name


def model_of(name: str) -> object:
    """The module of NumPy or SciPy whose names it has."""
    try:
        return importlib.import_module(name.removeprefix("autograd."))
    except ImportError:
        return None


if __name__ == "__main__":
    TABLE.write_text(json.dumps({name: names_of(name) for name in MODULES}, indent=0, sort_keys=True) + "\n")
