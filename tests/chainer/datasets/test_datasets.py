import pickle
import re

import numpy as np
import pytest

from autodiff.chainer import datasets
from autodiff.chainer.dataset import DatasetMixin, Iterator, TabularDataset

NUMBERS = [10, 11, 12, 13, 14]
ORDER = [4, 3, 2, 1, 0]


def contents(parts):
    return [part[:] for part in parts]


class Tens(DatasetMixin):
    def __len__(self):
        return 5

    def get_example(self, i):
        return i * 10


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, 0),
        (-1, -10),
        (slice(1, 4), [10, 20, 30]),
        (slice(None, None, -2), [40, 20, 0]),
        (slice(None, 100), [0, 10, 20, 30, 40]),
        ([0, 2], [0, 20]),
        (np.array([1, 3]), [10, 30]),
        ([], []),
    ],
)
def test_indices(index, expected):
    assert Tens()[index] == expected


def test_base_classes_say_what_is_missing():
    for use, text in [
        (lambda: DatasetMixin()[0], "DatasetMixin must define get_example"),
        (lambda: len(DatasetMixin()), "DatasetMixin must define __len__"),
        (lambda: next(Iterator()), "Iterator must define __next__"),
        (lambda: TabularDataset().keys, "TabularDataset must define keys"),
        (lambda: TabularDataset().mode, "TabularDataset must define mode"),
        (lambda: TabularDataset().get_examples(None, None), "TabularDataset must define get_examples"),
    ]:
        with pytest.raises(NotImplementedError, match=text):
            use()


def test_tuples():
    dataset = datasets.TupleDataset(np.arange(5), NUMBERS)
    assert (len(dataset), dataset[-1], dataset[1:3]) == (5, (4, 14), [(1, 11), (2, 12)])
    both = datasets.TupleDataset(np.arange(5), np.arange(5) * 2)[[0, 2]]
    assert [part.tolist() for part in both] == [[0, 2], [0, 4]]
    assert len(list(dataset)) == 5


def test_dicts():
    dataset = datasets.DictDataset(x=np.arange(5), y=NUMBERS)
    assert (len(dataset), dataset[-1], dataset[1:2]) == (5, {"x": 4, "y": 14}, [{"x": 1, "y": 11}])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=re.escape("the datasets have different lengths: [5, 2]")):
        datasets.TupleDataset(NUMBERS, [1, 2])
    with pytest.raises(ValueError, match=re.escape("the datasets have different lengths: {'x': 5, 'y': 2}")):
        datasets.DictDataset(x=NUMBERS, y=[1, 2])
    for kind in (datasets.TupleDataset, datasets.DictDataset):
        with pytest.raises(ValueError, match="needs at least one dataset"):
            kind()


def test_parts():
    part = datasets.SubDataset(NUMBERS, 1, 4)
    assert (len(part), part[0], part[-1], part[::-1], list(part)) == (3, 11, 13, [13, 12, 11], [11, 12, 13])
    assert datasets.SubDataset(NUMBERS, 1, 4, ORDER)[:] == [13, 12, 11]
    for index in (3, -4):
        with pytest.raises(IndexError, match=f"there is no example {index} in a part of 3 examples"):
            part[index]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((-1, 2), "a dataset of 5 examples has no part from -1 to 2"),
        ((0, 6), "a dataset of 5 examples has no part from 0 to 6"),
        ((0, 2, [1, 2]), "order has 2 numbers for a dataset of 5 examples"),
    ],
)
def test_wrong_parts(arguments, text):
    with pytest.raises(ValueError, match=text):
        datasets.SubDataset(NUMBERS, *arguments)


def test_splitting():
    assert contents(datasets.split_dataset(NUMBERS, 2)) == [[10, 11], [12, 13, 14]]
    assert contents(datasets.split_dataset(NUMBERS, np.int64(5))) == [[10, 11, 12, 13, 14], []]
    assert contents(datasets.split_dataset(NUMBERS, 2, order=[3, 1, 2, 0, 4])) == [[13, 11], [12, 10, 14]]
    assert contents(datasets.split_dataset_random(NUMBERS, 2, seed=0)) == [[12, 10], [11, 13, 14]]
    assert contents(datasets.split_dataset_n(NUMBERS, 3)) == [[10], [11], [12]]
    assert contents(datasets.split_dataset_n_random(NUMBERS, 2, seed=1)) == [[12, 11], [14, 10]]


@pytest.mark.parametrize(("split_at", "error"), [(6, ValueError), (-1, ValueError), (2.0, TypeError)])
def test_wrong_splits(split_at, error):
    with pytest.raises(error, match="split_at must be"):
        datasets.split_dataset(NUMBERS, split_at)


def test_cross_validation():
    folds = datasets.get_cross_validation_datasets(NUMBERS, 2)
    assert list(map(contents, folds)) == [[[10, 11], [12, 13, 14]], [[12, 13, 14], [10, 11]]]
    folds = datasets.get_cross_validation_datasets(NUMBERS, 3, order=ORDER)
    expected = [[[14, 13, 12], [11, 10]], [[11, 10, 14], [13, 12]], [[13, 12, 11, 10], [14]]]
    assert list(map(contents, folds)) == expected
    folds = datasets.get_cross_validation_datasets_random(NUMBERS, 3, seed=2)
    expected = [[[12, 14, 11], [13, 10]], [[13, 10, 12], [14, 11]], [[14, 11, 13, 10], [12]]]
    assert list(map(contents, folds)) == expected


def test_cross_validation_takes_the_old_name():
    with pytest.warns(DeprecationWarning, match="n_fold is deprecated; use n_folds"):
        assert len(datasets.get_cross_validation_datasets(NUMBERS, n_fold=2)) == 2
    with pytest.raises(TypeError, match="n_folds must be a positive integer, got None"):
        datasets.get_cross_validation_datasets(NUMBERS)


def test_concatenation():
    dataset = datasets.ConcatenatedDataset(NUMBERS, [1, 2], [])
    assert (len(dataset), dataset[:], dataset[[0, 6]]) == (7, [*NUMBERS, 1, 2], [10, 2])
    for index in (-1, 7):
        with pytest.raises(IndexError, match=f"there is no example {index} among 7"):
            dataset[index]


def test_transformation():
    dataset = datasets.TransformDataset(NUMBERS, lambda example: example - 10)
    assert (len(dataset), dataset[-1], dataset[1:3]) == (5, 4, [1, 2])


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"l1\nl2\r\nl3")
    (tmp_path / "b.txt").write_bytes("ä1\n\nm2\n".encode())
    return [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]


def test_lines_of_one_file(texts):
    dataset = datasets.TextDataset(texts[0])
    assert (len(dataset), dataset[:]) == (3, ["l1\n", "l2\n", "l3"])
    assert datasets.TextDataset(texts[0], newline="")[1] == "l2\r\n"
    for index in (-1, 3):
        with pytest.raises(IndexError, match=f"there is no line {index} among 3"):
            dataset[index]
    dataset.close()


def test_lines_of_several_files(texts):
    dataset = datasets.TextDataset(texts, encoding="utf-8")
    assert dataset[:] == [("l1\n", "ä1\n"), ("l2\n", "\n"), ("l3", "m2\n")]
    assert pickle.loads(pickle.dumps(dataset))[1] == ("l2\n", "\n")
    chosen = datasets.TextDataset(texts, encoding="utf-8", filter_func=lambda first, second: second.strip())
    assert chosen[:] == [("l1\n", "ä1\n"), ("l3", "m2\n")]
    assert datasets.TextDataset(texts, ["ascii", "utf-8"], newline=["", None])[1] == ("l2\r\n", "\n")
    with pytest.raises(ValueError, match="has 1 options for 2 files"):
        datasets.TextDataset(texts, encoding=["utf-8"])


@pytest.mark.parametrize("shorter", [0, 1, 2])
def test_files_of_different_lengths_are_no_lines_of_examples(tmp_path, shorter):
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text("1\n2\n" if number == shorter else "1\n2\n3\n")
    with pytest.raises(ValueError, match=f"number of lines in files does not match: .*{shorter}.txt has 2 and others"):
        datasets.TextDataset(paths)
    assert len(datasets.TextDataset([paths[shorter], paths[shorter]])) == 2


def test_lines_need_a_file(tmp_path):
    with pytest.raises(ValueError, match="at least one text file must be specified"):
        datasets.TextDataset([])
    (tmp_path / "empty.txt").write_text("")
    assert len(datasets.TextDataset(tmp_path / "empty.txt")) == 0


def test_pickles(tmp_path):
    path = tmp_path / "objects.pkl"
    with datasets.open_pickle_dataset_writer(path) as writer:
        for example in (1, "a", [2]):
            writer.write(example)
        writer.flush()
    with datasets.open_pickle_dataset(path) as dataset:
        assert (len(dataset), dataset[:], dataset[-1]) == (3, [1, "a", [2]], [2])
        with pickle.loads(pickle.dumps(dataset)) as copied:
            assert copied[1] == "a"
        with pytest.raises(IndexError):
            dataset[3]
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 2)
    with path.open("rb") as file, pytest.raises((EOFError, pickle.UnpicklingError)):
        datasets.PickleDataset(file)
