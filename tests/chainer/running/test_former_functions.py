import io
import json
import random

import numpy as np
import pytest

import autodiff
from autodiff import chainer
from autodiff.chainer.running.former_functions import FORMER, former
from autodiff.trace.failures.classes import ConcretizationError
from tests.chainer.running.process import run, written

RAGGED = [
    ([[1, 2, 3], [4, 5]], (2,)),
    ([1, [2, 3]], (2,)),
    ([np.zeros(2), np.zeros(3)], (2,)),
    ([np.zeros((2, 3)), np.zeros((3, 3))], (2,)),
    ([[[1], [2]], [[1, 2], [3]]], (2, 2)),
    ([["a"], []], (2,)),
]


@pytest.mark.parametrize("function", [np.array, np.asarray, np.asanyarray])
@pytest.mark.parametrize(("given", "shape"), RAGGED)
def test_lists_of_unequal_lengths_are_arrays_of_objects(function, given, shape):
    for found in (former(function)(given), former(function)(given, None, order="C")):
        assert found.dtype == object
        assert found.shape == shape
    assert type(former(function)(given).flat[0]) is type(np.array(given, object).flat[0])


def test_lists_of_unequal_lengths_are_stored_and_drawn_from(tmp_path):
    given, path = [[1, 2, 3], [4, 5]], tmp_path / "lists.npz"
    former(np.savez)(path, given, equal=[1, 2], named=given)
    with np.load(path, allow_pickle=True) as found:
        assert found["arr_0"].tolist() == given
        assert found["named"].tolist() == given
        assert found["equal"].tolist() == [1, 2]
    former(np.save)(tmp_path / "list.npy", given)
    assert np.load(tmp_path / "list.npy", allow_pickle=True).tolist() == given
    assert sorted(former(np.random.permutation)(given)) == given
    assert former(np.random.choice)(given) in given
    assert former(np.random.choice)([1, 2], size=(2, 3), p=[0, 1]).tolist() == [[2] * 3] * 2
    assert sorted(former(np.random.permutation)(3).tolist()) == [0, 1, 2]


INVALID = [
    (lambda array: array([[1, 2], [3]], "f"), "inhomogeneous"),
    (lambda array: array([[1, 2], [3]], dtype=int), "inhomogeneous"),
    (lambda array: array([np.zeros((2, 3)), np.zeros((2, 4))]), "inhomogeneous"),  # refused by NumPy 1, too
    (lambda array: array(["a"], int), "invalid literal"),
]


@pytest.mark.parametrize(("call", "words"), INVALID)
def test_what_was_refused_still_is(call, words):
    with pytest.raises(ValueError, match=words):
        call(former(np.array))


def test_copies_are_made_where_they_must_be():
    x = np.arange(3.0)
    assert former(np.array)(x, copy=False) is x
    assert former(np.array)(x, copy=0) is x
    assert former(np.array)([1, 2], copy=False).tolist() == [1, 2]
    assert former(np.array)(x, "f", copy=False).dtype == np.float32
    assert former(np.array)(x) is not x
    assert former(np.array)([[1], [2, 3]], copy=False).dtype == object


SAME = [
    (([1, 2],), {}), (([1, 2], "f"), {}), ((3,), {"ndmin": 2}), (([[1, 2]],), {"order": "F"}), (((i for i in "ab"),), {}),
    (([1.5],), {"dtype": np.float32, "copy": True}), ((np.ma.array([1]),), {"subok": True}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kwargs"), SAME)
def test_all_else_is_as_today(args, kwargs):
    found, wanted = former(np.array)(*args, **kwargs), np.array(*args, **kwargs)
    assert (type(found), found.dtype, found.shape, found.flags.f_contiguous) == (
        (type(wanted), wanted.dtype, wanted.shape, wanted.flags.f_contiguous)
    )


def test_names_and_texts_are_those_of_today():
    for today, own in FORMER.values():
        assert own.__name__ == today.__name__
        assert own.__doc__ == today.__doc__
        assert former(today) is own is not today


def test_traced_values_and_variables_find_the_same_ways():
    array, asarray = former(np.array), former(np.asarray)
    v = chainer.Variable(np.ones(2))
    assert autodiff.grad(lambda x: array([2.0, 3.0], like=x)[1] * x)(1.0) == 3.0
    assert autodiff.grad(lambda x: asarray([x, x * x], like=x)[1])(3.0) == 6.0
    for given in ([v, v], [v, chainer.Variable(np.ones(3))], [[v, v], [v]]):
        with pytest.raises(ConcretizationError, match=r"take v\.array"):
            array(given)

    for given in (lambda x: [[x, x], [2.0, x]], lambda x: [x, np.zeros(3)]):
        with pytest.raises(ConcretizationError):
            autodiff.grad(lambda x, given=given: array(given(x))[0] * x)(3.0)
    assert (
        autodiff.grad(lambda x: former(np.linalg.solve)(np.stack([2 * np.eye(2)] * 3), x).sum())(
            np.ones((3, 2))
        ).tolist()
        == [[0.5, 0.5]] * 3
    )


def test_fromstring_takes_bytes():
    fromstring = former(np.fromstring)
    found = fromstring(b"\1\0\2\0", dtype=np.uint16)
    found[0] = 5
    assert found.tolist() == [5, 2]
    assert fromstring("ab", np.uint8).tolist() == [97, 98]
    assert fromstring(b"abc", np.uint8, 2).tolist() == [97, 98]
    assert fromstring(np.ones(1).tobytes())[0] == 1
    assert fromstring("1, 2", sep=",").tolist() == [1, 2]
    assert fromstring(b"", np.uint8).size == 0
    with pytest.raises(ValueError, match="multiple"):
        fromstring(b"abc", np.uint16)


def test_the_inverse_of_unique_has_one_axis():
    unique, x = former(np.unique), np.array([[1, 2], [1, 1]])
    assert unique(x).tolist() == [1, 2]
    assert unique(x, return_index=True)[1].tolist() == [0, 1]
    assert unique(x, return_inverse=True)[1].tolist() == [0, 1, 0, 0]
    found = unique(x, True, True, True)
    assert [part.tolist() for part in found] == [[1, 2], [0, 1], [0, 1, 0, 0], [3, 1]]
    assert unique(x, return_inverse=True, axis=0)[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("a", "b", "vectors"),
    [
        ((2, 2), (2,), False),
        ((2, 2), (2, 3), False),
        ((4, 2, 2), (2,), False),
        ((4, 2, 2), (4, 2, 3), False),
        ((4, 2, 2), (2, 3), False),
        ((4, 2, 2), (4, 2), True),
        ((2, 2, 2), (2, 2), True),
        ((5, 4, 2, 2), (5, 4, 2), True),
        ((4, 2, 2), (1, 2), True),
    ],
)
def test_solve_takes_stacks_of_vectors(a, b, vectors):
    draw = np.random.default_rng(0)
    a, b = draw.normal(size=a), draw.normal(size=b)
    found = former(np.linalg.solve)(a, b)
    wanted = np.linalg.solve(a, b[..., None])[..., 0] if vectors else np.linalg.solve(a, b)
    np.testing.assert_array_equal(found, wanted)


def test_json_ignores_an_encoding():
    assert former(json.loads)("[1]", encoding="utf-8") == [1] == former(json.loads)(b"[1]")
    assert former(json.load)(io.StringIO("[1.5]"), encoding="utf-8", parse_float=str) == ["1.5"]


def test_samples_are_drawn_from_sets_and_lists_shuffled_with_a_function():
    random.seed(0)
    found = former(random.sample)({1, 2, 3}, 2)
    random.seed(0)
    assert found == random.sample((1, 2, 3), 2)
    assert sorted(former(random.sample)([1, 2], k=2)) == [1, 2]
    with pytest.raises(TypeError):
        former(random.sample)({1: 2}, 1)
    x = [1, 2, 3, 4]
    former(random.shuffle)(x, lambda: 0.5)
    assert x == [1, 4, 2, 3]
    random.seed(0)
    former(random.shuffle)(x)
    again = [1, 4, 2, 3]
    random.seed(0)
    random.shuffle(again)
    assert x == again


@pytest.mark.parametrize("mode", ["rU", "U", "Ur", "r"])
def test_files_are_opened_with_universal_newlines(tmp_path, mode):
    path = tmp_path / "text"
    path.write_bytes(b"a\r\nb")
    with former(open)(path, mode) as file:
        assert file.read() == "a\nb"
    with former(open)(path, mode.replace("r", "") + "rb") as file:
        assert file.read() == b"a\r\nb"
    with former(open)(path, mode="w", encoding="utf-8") as file:
        file.write("c")
    assert path.read_text() == "c"


def test_arrays_are_stacked_from_an_iterator():
    for function in (np.stack, np.vstack, np.hstack, np.dstack, np.column_stack):
        found = former(function)(a for a in ([1, 2], [3, 4]))
        assert found.tolist() == function([[1, 2], [3, 4]]).tolist() == former(function)(([1, 2], [3, 4])).tolist()
    assert autodiff.grad(lambda x: former(np.stack)(a for a in (x, x * x))[1])(3.0) == 6.0


def test_traced_lists_are_arrays_in_programs(tmp_path):
    """The names that autodiff itself looks functions up by are NumPy's, whatever the program calls."""
    script = written(
        tmp_path,
        "script.py",
        """
        import autodiff
        import numpy as np

        @autodiff.differentiable
        def f(x):
            rows = np.array([x, x * x])
            return np.sum(rows) + np.sum(np.vstack([rows, rows]))

        print(autodiff.grad(f)(3.0), autodiff.grad(lambda x: np.row_stack(a for a in (x, x)).sum())(np.ones(2)))
        """,
    )
    assert run(script)[0] == "21.0 [2. 2.]\n"


PROGRAM = """
import json, multiprocessing, pickle
import numpy as np
import numpy, chainer
from numpy import array, asarray as convert
from random import sample
from beside import lengths

class Holder:
    def __init__(self): self.array = np.ones(2)
    def unique(self, x): return x

def annotated(x: np.array) -> np.asarray: pass

if __name__ == "__main__":
    holder, xp = Holder(), chainer.backends.cuda.get_array_module(np.ones(1))
    holder.array[0] += 1
    print(holder.array, holder.unique(3), xp is np is numpy, annotated.__annotations__["x"] is np.array)
    print(array([[1], [2, 3]]).shape, xp.asarray([[1], [2, 3]]).dtype, convert([1]).dtype, lengths([[1], [2, 3]]))
    print(pickle.loads(pickle.dumps(np.array)) is np.array, list(map(np.array, [1, 2])), len(sample({1, 2}, 1)))
    try:
        np.array([[1, 2], [3]], "f")
    except ValueError as error:
        print("inhomogeneous" in str(error))
"""


def test_programs_and_modules_beside_them_call_former_functions(tmp_path):
    written(tmp_path, "beside.py", "import numpy as np\ndef lengths(x): return [len(a) for a in np.array(x)]")
    out, err = run(written(tmp_path, "script.py", PROGRAM))
    assert err == ""
    assert out.splitlines() == [
        "[2. 1.] 3 True True",
        "(2,) object int64 [1, 2]",
        "True [array(1), array(2)] 1",
        "True",
    ]
