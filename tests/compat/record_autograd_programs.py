"""Writes down what autograd gives: python -m tests.compat.record_autograd_programs, under an interpreter that has it."""

import inspect
import json
import sys
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("autograd_results.json")


def numbers(found: object) -> list[float]:
    """All numbers of nested results, real and imaginary parts one after the other."""
    if isinstance(found, dict):
        found = [found[key] for key in sorted(found)]
    if isinstance(found, list | tuple):
        return [number for part in found for number in numbers(part)]
    array = np.asarray(found)
    parts = np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array.astype(float)
    return [float(number) for number in parts.ravel()]


if __name__ == "__main__":
    sys.modules["funcsigs"] = inspect  # multigrad_dict of autograd wants this package of old
    from tests.compat.autograd_programs import PROGRAMS

    RECORDED.write_text(json.dumps({name: numbers(run()) for name, run in PROGRAMS.items()}, indent=0) + "\n")
