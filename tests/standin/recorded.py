"""What CuPy has, as recorded by :mod:`tests.standin.record`."""

import json
from functools import cache
from pathlib import Path

RECORDED = json.loads(Path(__file__).with_name("names.json").read_text())
UFUNCS = {module: dict(table) for module, table in RECORDED["ufuncs"].items()}
FUNCTIONS = {module: dict(table) for module, table in RECORDED["modules"].items()}
METHODS = RECORDED["methods"]
VERSION = RECORDED["version"]


@cache
def signature(name, parameters):
    """A function that takes what CuPy's function takes, and raises Python's TypeError for anything else."""
    scope = {}
    exec(f"def {name}({parameters}): pass", scope)
    return scope[name]
