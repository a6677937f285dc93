"""Datasets of columns: every view has the rows and columns that a list of rows has."""

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer.dataset import TabularDataset, tabular

NAMES = ("a", "b", "c")


class Table(TabularDataset):
    """Three columns of a matrix; it notes what it is asked for."""

    def __init__(self, length=6, start=0, names=NAMES, mode=tuple, as_list=False):
        self.data = start + np.arange(length * len(names)).reshape(length, len(names))
        self.names, self._mode, self.as_list, self.asked = names, mode, as_list, []

    def __len__(self):
        return len(self.data)

    @property
    def keys(self):
        return self.names

    @property
    def mode(self):
        return self._mode

    def get_examples(self, indices, key_indices):
        self.asked.append((indices, key_indices))
        data = self.data if indices is None else self.data[indices]
        columns = data.T if key_indices is None else data.T[list(key_indices)]
        return tuple(list(column) if self.as_list else column for column in columns)


def rows(dataset):
    """All examples, seen by every way to look at them."""
    found = [list(map(int, row)) for row in zip(*dataset.get_examples(None, None))]
    one_by_one = [[int(dataset.astuple()[i][k]) for k in range(len(dataset.keys))] for i in range(len(dataset))]
    assert found == one_by_one
    assert len(dataset) == len(found)
    for indices in (slice(None, None, 2), slice(None, None, -1), slice(4, 1, -2), [0] * len(found[:1])):
        part = [list(map(int, row)) for row in zip(*dataset.get_examples(indices, None))]
        assert part == ([found[i] for i in indices] if isinstance(indices, list) else found[indices])
    if len(dataset.keys) > 1:
        part = [list(map(int, row)) for row in zip(*dataset.get_examples(None, (1, 0, 1)))]
        assert part == [[row[1], row[0], row[1]] for row in found]
    return found


ROWS = Table().data.tolist()
SLICES = [
    slice(None), slice(1, 4), slice(None, None, 2), slice(None, None, -1), slice(5, 0, -2), slice(4, 2), slice(-3, None),
    [3, 1], [-1, 0, 0], [], np.array([2, 5]), [True, False, False, True, True, False], np.array([False] * 5 + [True]),
]  # fmt: skip


def picked(indices):
    """What a list of rows gives."""
    if isinstance(indices, slice):
        return ROWS[indices]
    if len(indices) and isinstance(indices[0], (bool, np.bool_)):
        return [row for row, wanted in zip(ROWS, indices) if wanted]
    return [ROWS[i] for i in indices]


@pytest.mark.parametrize("then", [slice(None), slice(None, None, -1), slice(0, 2), slice(3, None, -2), "list"], ids=str)
@pytest.mark.parametrize("indices", SLICES, ids=str)
@pytest.mark.parametrize("as_list", [False, True])
def test_slices_of_slices(indices, then, as_list):
    view = Table(as_list=as_list).slice[indices]
    expected = picked(indices)
    assert rows(view) == expected
    then = list(range(len(expected)))[::-2] if then == "list" else then
    assert rows(view.slice[then]) == ([expected[i] for i in then] if isinstance(then, list) else expected[then])


@pytest.mark.parametrize(
    ("keys", "columns", "mode"),
    [
        (("c", 0), (2, 0), tuple), (("a",), (0,), tuple), (("b", "b", -1), (1, 1, 2), tuple), ("b", (1,), None),
        (-1, (2,), None), (np.int64(1), (1,), None),
    ],
)  # fmt: skip
def test_columns(keys, columns, mode):
    view = Table().slice[1:4, keys]
    assert view.keys == tuple(NAMES[k] for k in columns)
    assert view.mode is mode
    assert rows(view) == [[row[k] for k in columns] for row in ROWS[1:4]]
    assert rows(view.asdict()) == rows(view)
    assert (view.asdict().mode, view.astuple().mode) == (dict, tuple)


def test_no_copies_of_columns_that_are_not_wanted():
    table = Table()
    table.slice[1:5, ("c", "a")].slice[::-1, "a"].fetch()
    indices, key_indices = table.asked[-1]
    assert isinstance(indices, slice)
    assert key_indices == (0,)


@pytest.mark.parametrize("mode", [tuple, dict])
def test_examples_and_fetched_data(mode):
    table = Table(2, mode=mode)
    expected = {"a": 0, "b": 1, "c": 2}
    assert table[0] == (tuple(expected.values()) if mode is tuple else expected)
    assert [row if mode is tuple else tuple(row.values()) for row in table] == [(0, 1, 2), (3, 4, 5)]
    fetched = table.fetch()
    columns = fetched if mode is tuple else fetched.values()
    assert [column.tolist() for column in columns] == [[0, 3], [1, 4], [2, 5]]
    assert Table(2).slice[:, "b"].fetch().tolist() == [1, 4]
    assert Table(2).slice[:, "b"][1] == 4


def test_concatenated():
    whole = Table(3, as_list=True).concat(
        Table(2, 100, as_list=True), Table(0, 200, as_list=True), Table(1, 300, as_list=True)
    )
    expected = [*Table(3).data.tolist(), *Table(2, 100).data.tolist(), *Table(1, 300).data.tolist()]
    assert len(whole) == 6
    assert list(zip(*whole.fetch())) == list(map(tuple, expected))
    for indices in SLICES:
        if isinstance(indices, slice):
            if (indices.step or 1) > 0:  # Chainer doubles rows of other slices
                found = zip(*whole.slice[indices].fetch())
                assert [list(row) for row in found] == expected[indices]
        elif not (len(indices) and isinstance(indices[0], (bool, np.bool_))):
            assert [list(row) for row in zip(*whole.slice[indices].fetch())] == [expected[i] for i in indices]
    with pytest.raises(ValueError):
        Table().concat(Table(names=("a", "b", "d")))


def test_joined():
    other = Table(6, 100, ("d", "e"))
    whole = Table().join(other)
    assert whole.keys == ("a", "b", "c", "d", "e")
    assert rows(whole) == [[*one, *two] for one, two in zip(ROWS, other.data.tolist())]
    assert rows(whole.slice[1:3, ("e", "a", "e", "d")]) == [[103, 3, 103, 102], [105, 6, 105, 104]]
    assert Table(mode=None).join(Table(6, 1, ("d",), dict)).mode is dict
    with pytest.raises(ValueError):
        Table().join(Table(5, 0, ("d",)))
    with pytest.raises(ValueError):
        Table().join(Table(6, 0, ("d", "b")))


@pytest.mark.parametrize("mode", [tuple, dict])
@pytest.mark.parametrize("out", [tuple, dict, None])
@pytest.mark.parametrize("batch", [False, True])
def test_transformed(mode, out, batch):
    def transform(a, b, c):
        if batch:
            first, second = [x + z for x, z in zip(a, c)], [y * y for y in b]
        else:
            first, second = a + c, b * b
        return {tuple: (first, second), dict: {"y": second, "x": first}}.get(out, first)

    names = ("x", "y") if out else "x"
    table = Table(mode=mode)
    view = (table.transform_batch if batch else table.transform)(names, transform)
    assert view.mode is out
    assert view.keys == (("x", "y") if out else ("x",))
    expected = [[a + c, b * b] if out else [a + c] for a, b, c in ROWS]
    assert rows(view) == expected
    assert rows(view.slice[1:4:2, ("x",)]) == [row[:1] for row in expected[1:4:2]]


def test_transforms_that_are_not_steady():
    kinds = iter([(1,), {"x": 1}])
    view = Table().transform("x", lambda a, b, c: next(kinds))
    with pytest.raises(ValueError):
        view.fetch()
    with pytest.raises(ValueError):
        Table().transform_batch("x", lambda a, b, c: a[:-1]).fetch()


def test_conversion():
    data = Table(2, as_list=True).fetch()
    assert [type(column) for column in data] == [list] * 3
    arrays = Table(2).convert(data)
    assert [array.tolist() for array in arrays] == [[0, 3], [1, 4], [2, 5]]
    assert Table(2).convert({"x": [1, 2]})["x"].tolist() == [1, 2]
    assert Table(2).convert([1.5]).dtype == np.float64
    for view in (Table(2).astuple(), Table(2).slice[:1], Table(2).concat(Table(1)), Table(2).join(Table(2, 0, ("d",)))):
        assert isinstance(view.convert(([1],))[0], np.ndarray)
    assert Table(2).with_converter(lambda a, b: ("pair", a, b)).convert((1, 2)) == ("pair", 1, 2)
    assert Table(2).with_converter(lambda a, b: ("pair", a, b)).slice[:1].convert({"b": 1, "a": 2}) == ("pair", 2, 1)
    assert Table(2).with_converter(lambda a: ("one", a)).asdict().convert(3) == ("one", 3)


def test_from_data():
    assert tabular.from_data([5, 6])[1] == 6
    assert tabular.from_data(np.array([5, 6])).fetch().tolist() == [5, 6]
    assert tabular.from_data(("a", [5, 6])).keys == ("a",)
    pair = tabular.from_data(([0, 1, 2], np.array([3, 4, 5])))
    assert pair[1] == (1, 4)
    assert pair.mode is tuple
    dataset = tabular.from_data({"a": [0, 1, 2], ("b", "c"): lambda i: (i, -i), "d": lambda i: 10 * i})
    assert dataset.keys == ("a", "b", "c", "d")
    assert dataset[2] == {"a": 2, "b": 2, "c": -2, "d": 20}
    assert tabular.from_data((("a", "b"), lambda i: {"a": i, "b": 2 * i}), size=4).asdict()[3] == {"a": 3, "b": 6}
    assert tabular.from_data(("a", lambda i: i * i), size=10).slice[[9, 2]].fetch() == [81, 4]
    assert tabular.from_data([0, 1, 2, 3]).slice[::2].fetch() == [0, 2]
    with pytest.raises(ValueError):
        tabular.from_data(lambda i: i, size=3)
    with pytest.raises(ValueError):
        tabular.from_data(("a", lambda i: i))


def test_a_dataset_that_delegates():
    class Own(tabular.DelegateDataset):
        def __init__(self):
            super().__init__(tabular.from_data((("x", np.arange(4)), ("y", self.square))))

        def square(self, i):
            return i * i

    dataset = Own()
    assert (len(dataset), dataset.keys, dataset.mode, dataset[3]) == (4, ("x", "y"), tuple, (3, 9))
    batches = chainer.iterators.SerialIterator(dataset, 3, shuffle=False)
    assert batches.next() == [(0, 0), (1, 1), (2, 4)]
    assert chainer.dataset.concat_examples(dataset[1:3])[1].tolist() == [1, 4]


@pytest.mark.parametrize(
    ("indices", "error"),
    [
        (([9],), IndexError), (([-7],), IndexError), (([True],), ValueError), ((slice(None), 3), IndexError),
        ((slice(None), ("a", -4)), IndexError), ((slice(None), "z"), KeyError),
    ],
)  # fmt: skip
def test_what_is_not_there(indices, error):
    with pytest.raises(error):
        Table().slice[indices if len(indices) > 1 else indices[0]]


def test_what_a_subclass_must_define():
    for attribute in ("keys", "mode"):
        with pytest.raises(NotImplementedError):
            getattr(TabularDataset(), attribute)
    with pytest.raises(NotImplementedError):
        TabularDataset().get_examples(None, None)
    with pytest.raises(NotImplementedError):
        len(TabularDataset())
