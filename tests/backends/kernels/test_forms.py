"""Which operations lie on one grid of rows and columns, and as what."""

import numpy as np
import pytest

from autodiff.backends.kernels.forms import (
    COLUMN,
    COLUMN_TOTAL,
    FULL,
    OUTER,
    ROW,
    SCALAR,
    TOTAL,
    Unfit,
    grid_of,
)
from autodiff.trace.spec import spec
from tests.backends.kernels.running import simple


def grid(fun, shape, *specs):
    tape = simple(fun, *specs)
    return tape, grid_of(tape.equations, dict(enumerate(tape.specs)), shape)


def array(*shape, dtype=np.float64):
    return spec(shape, dtype)


def test_operands_are_full_rows_columns_or_one_number():
    tape, found = grid(
        lambda x, r, c, s, n: x * r + c * s - n, (4, 3), array(4, 3), array(4, 1), array(3), array(1), 2.0
    )
    assert [found.forms[slot] for slot in range(5)] == [FULL, ROW, COLUMN, SCALAR, SCALAR]
    assert (found.rows, found.columns, found.flat) == (4, 3, False)
    assert {found.forms[slot] for slot in tape.outputs} == {FULL}
    assert found.outside == set(range(5))


def test_without_rows_or_columns_all_elements_are_rows():
    _, found = grid(lambda x, s: x * s + 1, (4, 3), array(4, 3), array())
    assert (found.rows, found.columns, found.flat) == (12, 1, True)


def test_operands_along_middle_axes_are_outer():
    _, found = grid(lambda x, m: (x + m) * 2, (5, 4, 3), array(5, 4, 3), array(4, 1))
    assert found.forms[1] == OUTER


@pytest.mark.parametrize(
    ("fun", "form"),
    [
        (lambda x: np.sum(x + 1, axis=1), ROW),
        (lambda x: np.max(x + 1, axis=1), ROW),
        (lambda x: np.any(x > 1, axis=1), ROW),
        (lambda x: np.sum(x + 1, axis=0), COLUMN_TOTAL),
        (lambda x: np.sum(x + 1), TOTAL),
        (lambda x: np.max(x + 1), TOTAL),
        (lambda x: np.sum(np.max(x + 1, axis=1)), TOTAL),
    ],
)
def test_reductions(fun, form):
    tape, found = grid(fun, (4, 3), array(4, 3))
    assert found.forms[tape.outputs[0]] == form


def test_what_a_reduction_gives_may_meet_its_row_again():
    tape, found = grid(lambda x: np.exp(x - np.max(x, axis=-1, keepdims=True)), (2, 4, 3), array(2, 4, 3))
    assert found.split == 2
    assert found.forms[tape.outputs[0]] == FULL


def test_several_axes_are_reduced_together():
    tape, found = grid(lambda x: x / np.sum(x, axis=(1, 2), keepdims=True), (2, 4, 3), array(2, 4, 3))
    assert (found.rows, found.columns) == (2, 12)
    assert found.forms[tape.outputs[0]] == FULL


@pytest.mark.parametrize(
    ("fun", "specs", "text"),
    [
        (lambda x: np.sort(x), [array(4, 3)], "argsort is no operation of single elements"),
        (lambda x: x.astype(np.float16) + 1, [array(4, 3)], "kernels know no float16"),
        (lambda x: x + 1, [array(4, 3, dtype=complex)], "kernels know no complex128"),
        (lambda x: np.sum(x, axis=1), [array(5, 4, 3)], "a reduction over the axes (1,) on the grid (5, 4, 3) x ()"),
        (lambda x: np.sum(np.sum(x) * x), [array(4, 3)], "a total is known when the kernel is done"),
        (
            lambda x: (np.sum(x), np.broadcast_to(np.sum(x), (4,))),
            [array(4)],
            "a total is known when the kernel is done",
        ),
        (lambda x: np.max(x, axis=0), [array(4, 3)], "max over the rows, where only sums are"),
        (np.spacing, [array(4, 3)], "spacing of float64 has no scalar expression"),
        (lambda x: np.gcd(x, 6), [array(4, 3, dtype=int)], "gcd of int64, int64 has no scalar expression"),
    ],
)
def test_what_does_not_fit_says_why(fun, specs, text):
    with pytest.raises(Unfit) as caught:
        grid(fun, specs[0].shape, *specs)
    assert str(caught.value) == text


def test_a_refused_operation_changes_nothing():
    tape, found = grid(lambda x: x + 1, (4, 3), array(4, 3))
    forms, outside = dict(found.forms), set(found.outside)
    other = simple(lambda x: np.sort(x), array(4, 3))
    with pytest.raises(Unfit):
        found.add(other.equations[0], dict(enumerate(other.specs)))
    assert (found.forms, found.outside) == (forms, outside)
    assert tape.outputs
