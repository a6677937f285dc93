"""What CuPy has, as recorded by :mod:`tests.standin.record`."""

import json
from functools import cache
from pathlib import Path

import numpy as np

RECORDED = json.loads(Path(__file__).with_name("names.json").read_text())
UFUNCS = {module: dict(table) for module, table in RECORDED["ufuncs"].items()}
FUNCTIONS = {module: dict(table) for module, table in RECORDED["modules"].items()}
METHODS = RECORDED["methods"]
VERSION = RECORDED["version"]
LOOPS = json.loads(Path(__file__).with_name("dtypes.json").read_text())
KINDS = {kind: number for number, kind in enumerate(LOOPS["kinds"])}
WEAK = {bool: "truth", int: "int", float: "float", complex: "complex"}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def kind_of(operand):
    """What CuPy chooses loops by: the dtype of an array or of NumPy's number, the type of Python's."""
    return WEAK.get(type(operand)) or operand.dtype.name


def recorded_loop(module, name, operands):
    """The dtypes of inputs and outputs of the loop that CuPy runs, where that is recorded; else None.

    Raises:
        TypeError: if CuPy has none.
    """
    table = LOOPS["ufuncs"].get(module, {}).get(name)
    kinds = list(map(kind_of, operands))
    if table is None or any(kind not in KINDS for kind in kinds) or all(kind in WEAK.values() for kind in kinds):
        return None
    place = 0
    for kind in kinds:
        place = place * len(KINDS) + KINDS[kind]
    letter = table["chosen"][place]
    if letter == ".":
        raise TypeError(f"Wrong type ({kinds}) of arguments for cupy_{name}")
    return tuple(part.split() for part in table["loops"][DIGITS.index(letter)].split("->"))


def dtype_named(name):
    """The dtype of a name."""
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


@cache
def signature(name, parameters):
    """A function that takes what CuPy's function takes, and raises Python's TypeError for anything else."""
    scope = {}
    exec(f"def {name}({parameters}): pass", scope)
    return scope[name]
