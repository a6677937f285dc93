"""The facts of primitives (:mod:`autodiff.trace.facts`) beside what they do: in all calls that the rows of cases make."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.ops.images.pooling
import autodiff.ops.rectifier
import autodiff.ops.reductions.softmax  # these modules load late, when something needs them
from autodiff.backends.kernels.scalars import CONSTANTS, DTYPES
from autodiff.backends.language.functions import PLAIN
from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.trace.facts import ADDED, ALL, ANY, LARGEST, MULTIPLIED, NO_FACTS, SMALLEST
from autodiff.trace.primitive import PRIMITIVES, Primitive
from tests.ops.test_every_primitive import programs

FEW = 8
"""So many calls of each operation are looked at."""

NUMBERS = np.array([0.0, -0.0, 5e-324, 1e-300, 1e-9, 0.3, 1.0, 1.7, 2.0, 9.5, 40.0, 1e9, 1e300, np.inf, np.nan])
NUMBERS = np.concatenate([NUMBERS, -NUMBERS])

FILLS_WITH_ZEROS = {"place"}
"""Operations that copy, and leave zeros where nothing is put, though not in the rows of cases."""

Call = tuple[tuple[Any, ...], dict[str, Any]]


def is_small(operand: Any) -> bool:
    return np.size(operand) < 50 and np.asarray(operand).dtype.kind in "biufc"


@pytest.fixture(scope="module")
def calls() -> dict[str, list[Call]]:
    """Operands and parameters with which each primitive was called, forwards or backwards."""
    found: dict[str, list[Call]] = {name: [] for name in PRIMITIVES}
    patch = pytest.MonkeyPatch()

    def noting(primitive: Primitive) -> Any:
        evaluate, known = primitive.evaluate, found[primitive.name]

        def run(*operands: Any, **params: Any) -> Any:
            if len(known) < FEW and all(map(is_small, operands)):
                known.append((tuple(map(np.copy, operands)), params))
            return evaluate(*operands, **params)

        return run

    for primitive in PRIMITIVES.values():
        patch.setattr(primitive, "evaluate", noting(primitive))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fun, args in programs():
            try:
                out, pull = autodiff.vjp(fun, *args)
                pull(out)
            except (autodiff.trace.errors.AutodiffError, ValueError, TypeError):
                continue  # arguments that are not differentiable
    patch.undo()
    for name, primitive in PRIMITIVES.items():
        if primitive.family == "elementwise" and primitive.params == {} and primitive.facts != NO_FACTS:
            found[name] += of_elements(primitive)
    return found


def of_elements(primitive: Primitive) -> list[Call]:
    """An elementwise operation of numbers of all sizes, or else of truth values or whole numbers."""
    random = np.random.default_rng(3)
    for values in (NUMBERS, np.array([True, False]), np.arange(5)):
        operands = tuple(random.choice(values, 200) for _ in primitive.operands)
        try:
            with np.errstate(all="ignore"):
                primitive.evaluate(*operands)
        except (TypeError, ValueError):
            continue
        return [(operands, {})]
    return []


def results(primitive: Primitive, operands: Any, params: dict[str, Any]) -> list[np.ndarray]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = primitive.evaluate(*operands, **params)
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


def having(fact: str) -> list[str]:
    """The names of the primitives with a fact."""
    return sorted(name for name, each in PRIMITIVES.items() if getattr(each.facts, fact) not in (None, False, "", 0))


def of_calls(calls: dict[str, list[Call]], names: list[str]) -> list[tuple[str, Primitive, tuple[Any, ...], Any]]:
    """The calls of some primitives, each of which has been called."""
    assert [name for name in names if not calls[name] and any(PRIMITIVES[name].rules)] == []
    return [(name, PRIMITIVES[name], *call) for name in names for call in calls[name]]


def tagged(operands: Any, copied: slice, first: float) -> tuple[list[Any], list[float]]:
    """The operands with numbers of their own in those that are copied, and these numbers."""
    given, tags = list(operands), []
    for place in range(*copied.indices(len(operands))):
        count = np.size(given[place])
        own = first + len(tags) + (np.arange(count) if first == 1 else 7 * np.arange(count, 0, -1) % 1009)
        tags += [float(x) for x in own]
        given[place] = own.reshape(np.shape(given[place]))
    return given, tags


def origins(primitive: Primitive, operands: Any, params: dict[str, Any], copied: slice) -> list[Any] | None:
    """Which elements of operands the results are; None where they are something else."""
    found = []
    for first in (1.0, 1001.0):
        given, tags = tagged(operands, copied, first)
        try:
            parts = results(primitive, given, params)
        except (ValueError, TypeError, IndexError):
            return None
        places = {tag: k for k, tag in enumerate(tags)}
        elements = [[places.get(float(np.real(x))) for x in part.reshape(-1)] for part in parts]
        if any(None in own for own in elements):
            return None
        found.append(elements)
    return found[0] if found[0] == found[1] else None


def test_copies_are_elements_of_operands_whatever_their_values(calls):
    for name, primitive, operands, params in of_calls(calls, having("copies")):
        assert origins(primitive, operands, params, primitive.facts.copies) is not None, name


def test_what_copies_its_first_operand_says_so(calls):
    unsaid = set()
    for name, known in calls.items():
        primitive = PRIMITIVES[name]
        if primitive.facts.copies is None and primitive.family != "elementwise" and primitive.params is not None:
            large = [call for call in known if np.size(call[0][0]) > 1 and sum(map(np.size, results(primitive, *call)))]
            if large and all(origins(primitive, *call, slice(0, 1)) is not None for call in large):
                unsaid.add(name)
    assert sorted(unsaid - FILLS_WITH_ZEROS) == []


def test_what_is_said_to_be_nonnegative_is(calls):
    for name, primitive, operands, params in of_calls(calls, having("nonnegative")):
        for part in results(primitive, operands, params):
            assert part.dtype.kind == "c" or not np.any(part < 0), name


def test_commutative_operations_give_the_same_bits(calls):
    for name, primitive, (x, y), params in of_calls(calls, having("commutative")):
        (one,), (other,) = results(primitive, (x, y), params), results(primitive, (y, x), params)
        np.testing.assert_array_equal(one, other, err_msg=name)


def test_exact_operations_give_the_same_in_all_precisions(calls):
    for name, primitive, operands, params in of_calls(calls, having("exact")):
        if "dtype" in params or name in ("nextafter", "segment_spread"):
            continue
        with np.errstate(over="ignore"):
            single = [np.float32(x) if np.asarray(x).dtype.kind == "f" else x for x in operands]
        if any(np.asarray(x).dtype.kind == "c" for x in operands):
            continue  # the absolute value of complex numbers is rounded
        double = [np.float64(x) if np.asarray(x).dtype == np.float32 else x for x in single]
        for one, other in zip(results(primitive, single, params), results(primitive, double, params), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)


def test_new_results_share_no_memory(calls):
    for name, primitive, operands, params in of_calls(calls, having("new")):
        for part in results(primitive, operands, params):
            assert not any(np.shares_memory(part, x) for x in operands if isinstance(x, np.ndarray)), name


def test_reductions_repeat_their_fold(calls):
    for name, primitive, (x,), params in of_calls(calls, having("fold")):
        (found,) = results(primitive, (x,), params)
        wanted = getattr(np, primitive.facts.fold.name).reduce(x, axis=params["axes"])
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("fold", [ADDED, MULTIPLIED, LARGEST, SMALLEST, ANY, ALL], ids=lambda fold: fold.name)
def test_reductions_begin_with_what_changes_nothing(fold):
    ufunc = getattr(np, fold.name)
    for dtype in DTYPES if fold not in (ANY, ALL) else (np.dtype(bool),):
        ends = [0, 1] if dtype.kind == "b" else [0, 1, 100]
        ends += [np.inf, -np.inf] if dtype.kind == "f" else []
        x = np.array(ends, dtype)
        np.testing.assert_array_equal(ufunc(fold.beginning(dtype), x), x)


def test_expressions_are_of_operands_constants_and_functions_of_kernels():
    known = {*CONSTANTS, *PLAIN, *FUNCTIONS, "where", "maximum", "minimum", "absolute", "True", "lgamma", "i8"}
    for name in having("element"):
        primitive = PRIMITIVES[name]
        element = primitive.facts.element
        for text in filter(None, (element.text, element.of_truth, element.of_integers)):
            read = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
            assert read <= {*primitive.operands, *known}, name


def test_labels_have_a_place_for_each_operand_or_none():
    for name in having("label"):
        primitive = PRIMITIVES[name]
        assert primitive.facts.label.count("{}") in (0, len(primitive.operands)), name
