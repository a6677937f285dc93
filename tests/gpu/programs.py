"""The functions that the tests of primitives check, and their tapes on a GPU."""

from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path

import numpy as np

import autodiff
from autodiff.testing import Case
from autodiff.testing.draws.of_case import corner_operands
from autodiff.trace.tape import Tape
from autodiff.trace.trees.tree import flatten
from tests.numpy.programs import PROGRAMS

TESTS = Path(__file__).parents[1]
FOLDERS = ("ops", "numpy", "scipy")


def rows(table, depth=0):
    """The cases that stand anywhere in a table."""
    if isinstance(table, Case):
        yield table
    elif isinstance(table, dict | list | tuple) and depth < 4:
        for part in table.values() if isinstance(table, dict) else table:
            yield from rows(part, depth + 1)


def cases():
    """The cases of all test files of these folders."""
    for path in sorted(path for folder in FOLDERS for path in (TESTS / folder).rglob("test_*.py")):
        if "Case(" in path.read_text():
            module = import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
            for found in vars(module).values():
                marks = [mark.args[1] for mark in getattr(found, "pytestmark", []) if mark.name == "parametrize"]
                yield from rows([found, *marks])


def programs():
    """Functions and arguments: those of programs, and of every case the first corner."""
    yield from PROGRAMS.values()
    for case in cases():
        for sample in islice(corner_operands(case), 1):
            yield case.fun, sample.args


def different(seen):
    """The tapes of programs with arguments, each of which runs operations that those before do not."""
    for fun, args in programs():
        leaves, _ = flatten(args)
        if not any(isinstance(leaf, np.ndarray) for leaf in leaves):
            continue
        try:
            tape = autodiff.make_tape(fun)(*args)
        except (autodiff.trace.errors.AutodiffError, ValueError, TypeError):
            continue  # depends on values
        names = frozenset(equation.primitive.name for equation in tape.equations)
        if "samples" in names and not all(isinstance(leaf, np.ndarray) for leaf in leaves):
            continue  # recorded for a number, of which an array in host memory is made
        kinds = frozenset(leaf.dtype.kind for leaf in leaves if hasattr(leaf, "dtype"))
        if (names, kinds) not in seen:
            seen.add((names, kinds))
            yield tape, args, names


def on_gpu(value, cupy):
    """Arrays of NumPy, a tape's constants, and what is in tuples of them, on the GPU; anything else as it is."""
    if isinstance(value, np.ndarray):
        return cupy.asarray(value)
    if isinstance(value, Tape):
        equations = tuple(
            replace(each, params=tuple((name, on_gpu(part, cupy)) for name, part in each.params))
            for each in value.equations
        )
        return replace(value, equations=equations, constants=on_gpu(value.constants, cupy))
    return tuple(on_gpu(part, cupy) for part in value) if type(value) is tuple else value


def in_host_memory(value):
    """The elements of an array of the stand-in; anything else as it is."""
    return value.get() if hasattr(value, "get") and not isinstance(value, dict) else value
