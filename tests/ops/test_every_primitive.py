"""No primitive that has a derivative escapes: each is reached by a row of cases or by a program that is checked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.numpy.elements.special  # these modules load late, when something needs them
import autodiff.ops.images.windows
import autodiff.scipy.special
from autodiff.testing import Case
from autodiff.testing.draws.of_case import corner_operands
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.staging import Body
from autodiff.trace.trees.tree import flatten
from tests.numpy.programs import PROGRAMS
from tests.scipy import test_filters, test_linalg, test_sparse

TESTS = Path(__file__).parents[1]
CALLS = {  # whole functions as one operation: tests/transforms
    "checkpoint", "custom_jvp", "custom_vjp", "jit", "pure_callback", "scan", "switch", "while_loop",
    "while_loop_backwards",
}  # fmt: skip


def rows(table: Any, depth: int = 0) -> Iterator[Case]:
    """The cases that stand anywhere in a table."""
    if isinstance(table, Case):
        yield table
    elif isinstance(table, dict | list | tuple) and depth < 4:
        for part in table.values() if isinstance(table, dict) else table:
            yield from rows(part, depth + 1)


def cases() -> Iterator[Case]:
    """The cases of all test files: in their tables, and in what tests are parametrised by."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text()
        if ("Case(" in text or "tests.scipy.rows" in text) and path != Path(__file__):
            module = import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
            for found in vars(module).values():
                marks = [mark.args[1] for mark in getattr(found, "pytestmark", []) if mark.name == "parametrize"]
                yield from rows([found, *marks])


def programs() -> Iterator[tuple[Any, tuple[Any, ...]]]:
    yield from PROGRAMS.values()
    for module in (test_linalg, test_sparse, test_filters):
        yield from module.PROGRAMS.values()
    for case in cases():
        for sample in islice(corner_operands(case), 1):
            yield case.fun, sample.args


def total(fun: Any) -> Any:
    """One real number of all results, for ``grad``."""

    def summed(*args: Any) -> Any:
        outs = [out for out in flatten(fun(*args))[0] if getattr(out, "dtype", np.dtype(bool)).kind in "fc"]
        return sum((np.sum(np.real(out) * 1.0) + np.sum(np.imag(out)) for out in outs), 0.0)

    return summed


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
def test_results_share_memory_with_operands_only_where_it_is_said(monkeypatch):
    """A tape that keeps such a result would else see the user's array change."""
    sharing: set[str] = set()

    def noting(primitive):
        evaluate = primitive.evaluate

        def run(*operands, **params):
            out = evaluate(*operands, **params)
            plain = [x for x in operands if isinstance(x, np.ndarray)]
            for part in out if isinstance(out, tuple) else (out,):
                if isinstance(part, np.ndarray) and any(np.shares_memory(part, x) for x in plain):
                    sharing.add(primitive.name)
            return out

        return run

    for primitive in PRIMITIVES.values():
        if not isinstance(primitive.evaluate, np.ufunc):
            monkeypatch.setattr(primitive, "evaluate", noting(primitive))
    for fun, args in programs():
        try:
            autodiff.vjp(fun, *args)
        except (autodiff.trace.errors.AutodiffError, ValueError, TypeError):
            continue  # arguments that are not differentiable
    assert {"reshape", "slice_of", "real"} <= sharing
    assert sorted(name for name in sharing if not PRIMITIVES[name].view) == []


FEW = 5
"""So many calls of each operation are looked at."""


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
def test_what_adds_up_elements_weighs_none_of_them(monkeypatch):
    """Masks are carried through by the operation itself: it must make ones and zeros of ones and zeros, or their sums."""
    calls: dict[str, list[Any]] = {name: [] for name, each in PRIMITIVES.items() if each.adds or each.moves}

    def noting(primitive):
        evaluate, known = primitive.evaluate, calls[primitive.name]

        def run(*operands, **params):
            if len(known) < FEW and all(np.size(x) < 50 for x in operands):
                known.append((evaluate, operands, params))
            return evaluate(*operands, **params)

        return run

    for name in calls:
        monkeypatch.setattr(PRIMITIVES[name], "evaluate", noting(PRIMITIVES[name]))
    for fun, args in programs():
        try:
            out, pull = autodiff.vjp(fun, *args)
            pull(out)
        except (autodiff.trace.errors.AutodiffError, ValueError, TypeError):
            continue  # arguments that are not differentiable
    monkeypatch.undo()
    assert sorted(name for name, known in calls.items() if not known) == []
    for name, known in calls.items():
        for evaluate, operands, params in known:
            for position, x in enumerate(operands):
                if PRIMITIVES[name].rule(position) is not None:
                    check_column_of_counts(evaluate, operands, params, position, x)


def check_column_of_counts(evaluate, operands, params, position, x):
    """What an operation makes of a one among zeros."""
    for element in range(np.size(x)):
        given = [np.zeros_like(o) if np.asarray(o).dtype.kind in "fc" else o for o in operands]
        given[position] = np.zeros(np.shape(x))
        given[position].reshape(-1)[element] = 1
        found = evaluate(*given, **params)
        for part in found if isinstance(found, tuple) else (found,):
            assert (np.real(part) >= 0).all()
            np.testing.assert_array_equal(part, np.rint(np.real(part)))


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
def test_every_primitive_with_a_rule_is_reached(monkeypatch):
    reached: set[str] = set()
    record = Body.record

    def noting(self, primitive, operands, params, apply=None):
        reached.add(primitive.name)
        return record(self, primitive, operands, params, apply)

    monkeypatch.setattr(Body, "record", noting)
    for fun, args in programs():
        inexact = tuple(k for k, arg in enumerate(args) if np.asarray(arg).dtype.kind in "fc")
        gradient = autodiff.grad(total(fun), inexact or 0)
        for recorded in (fun, gradient, autodiff.grad(total(gradient), inexact or 0)):
            try:
                autodiff.make_tape(recorded)(*args)
            except (autodiff.trace.errors.AutodiffError, ValueError, TypeError):
                continue  # depends on values, or not differentiable: what was reached before still counts
    with_rules = {name for name, primitive in PRIMITIVES.items() if any(primitive.rules)}
    assert sorted(with_rules - reached - CALLS) == []
