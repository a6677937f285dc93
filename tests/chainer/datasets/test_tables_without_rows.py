"""Tables without rows, and what is made of them."""

import numpy as np
import pytest

from autodiff.chainer.dataset.tabular import from_data

TABLE = from_data({"a": np.arange(4), "b": [5, 6, 7, 8]}).astuple()

EMPTY = {
    "no examples": from_data({"a": [], "b": []}).astuple(),
    "a slice": TABLE.slice[0:0],
    "no numbers": TABLE.slice[[]],
    "joined ends": TABLE.slice[0:0].concat(TABLE.slice[4:]),
}


@pytest.fixture(params=EMPTY)
def empty(request):
    return EMPTY[request.param]


@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("step", [-3, -2, -1, 1, 2])
def test_a_slice_of_a_slice_of_a_slice_has_the_rows_of_a_list(start, step):
    rows = list(range(4))
    for stop in range(5):
        for again in (
            slice(None, None, -1),
            slice(None, None, -2),
            slice(1, None),
            slice(None, 1),
            slice(-1, None),
            slice(0, 0),
        ):
            one, other = slice(start, stop, step), slice(None, None, step)
            view = TABLE.slice[one].slice[again].slice[other]
            want = rows[one][again][other]
            assert (len(view), list(view.slice[:, "a"].fetch())) == (len(want), want)


def test_columns_are_one_argument():
    with pytest.raises(
        ValueError, match=r"got 3 arguments.*; several columns are a tuple: slice\[rows, \(column, column\)\]"
    ):
        TABLE.slice[:, "a", "b"]


def test_a_transform_has_no_rows_either(empty):
    view = empty.transform(("x", "y"), lambda a, b: (a + b, a - b))
    assert (len(view), view.keys, view.mode, view.fetch()) == (0, ("x", "y"), tuple, ([], []))
    assert view.asdict().fetch() == {"x": [], "y": []}
    assert view.slice[:, "y"].fetch() == view.slice[::-1, "y"].fetch() == []
    assert empty.transform("x", lambda a, b: a + b).fetch() == []


def test_a_transform_of_batches_has_what_it_returns(empty):
    assert empty.transform_batch(("x",), lambda a, b: (list(a),)).fetch() == ([],)
    assert empty.transform_batch("x", lambda a, b: list(b)).fetch() == []


def test_rows_may_be_added(empty):
    made = [table.transform(("x",), lambda a, b: (int(a + b),)) for table in (empty, TABLE)]
    assert made[0].concat(made[1]).fetch() == made[1].concat(made[0]).fetch() == ([5, 7, 9, 11],)
