"""Sequential."""

import copy
import functools
import pickle
import re

import numpy as np
import pytest
from models import Linear, Plain

from autodiff.chainer.link import Chain, ChainList
from autodiff.chainer.sequential import Sequential


def at_any_line(text):
    return "^" + re.escape(text).replace(re.escape("{}"), r"test_sequential.py:\d+") + "$"


def names(model):
    return [getattr(layer, "name", None) for layer in model]


def test_calls():
    model = Sequential(Linear(2, 3), Plain(), abs)
    np.testing.assert_equal(model(-np.ones((1, 2), np.float32)).array, np.zeros((1, 3), np.float32))
    assert Sequential(lambda x, y: (y, x), lambda x, y: x - y)(5, 7) == 2
    assert Sequential(lambda *x: list(x), lambda x: x)(5, 7) == [5, 7]
    text = "a Sequential without layers was called ({}); append one first"
    with pytest.raises(RuntimeError, match=at_any_line(text)):
        Sequential()(1)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("LL", "01"),
        ("LLL", "021"),
        ("LLLLL", "04321"),
        ("LfLfLfL", "0-3-2-1"),
        ("fLfLfL", "-0-1-2"),
        ("fLLL", "-012"),
        ("LLfLL", "03-21"),
        ("LffLfLfL", "0--3-2-1"),
    ],
)
def test_numbers_of_links_are_those_of_chainer(pattern, expected):
    model = Sequential(*(Linear(1, 1) if kind == "L" else abs for kind in pattern))
    assert [name or "-" for name in names(model)] == list(expected)
    assert [name or "-" for name in names(model.copy())] == list(expected)


@pytest.mark.parametrize(
    ("pattern", "places"),
    [("fffLLLLL", [0, 1, 1, 1, 4, 4, 4, 4, 4]), ("ffLL", [0, 1, 1, 2, 2]), ("LfLf", [0, 1, 1, 1, 1])],
)
def test_where_chainer_inserts_links(pattern, places):
    for i, place in enumerate(places):
        model = Sequential()
        model._layers = [Linear(1, 1) if kind == "L" else abs for kind in pattern]
        model._children = [layer for layer in model._layers if layer is not abs]
        new = Linear(1, 1)
        model.insert(i, new)
        assert model._children.index(new) == place
        assert model[i] is new


def test_the_list():
    first, second = Linear(2, 3), Plain()
    model = Sequential(first, abs, second, abs)
    assert len(model) == 4
    assert (model[0], model[-1], model[1:3]) == (first, abs, [abs, second])
    assert list(model) == [first, abs, second, abs]
    assert abs in model
    assert min not in model
    assert (model.count(abs), model.count(first), model.count(min)) == (2, 1, 0)
    assert (model.index(abs), model.index(abs, 2), model.index(abs, 0, 2)) == (1, 3, 1)
    with pytest.raises(ValueError, match="is not in list"):
        model.index(min)
    assert model.pop() is abs
    assert model.pop(0) is first
    assert second.name == "0"
    model[0] = min
    model[-1] = first
    assert list(model) == [min, first]
    assert list(model.children()) == [first]
    model.extend([max, second])
    model.remove(max)
    del model[0]
    assert names(model) == ["0", "1"]
    assert [name for name, _ in model.namedparams()] == ["/0/W", "/0/b", "/1/W", "/1/late"]
    model.reverse()
    assert list(model) == [second, first]
    model.clear()
    assert len(model) == len(list(model.children())) == 0


def test_what_is_no_layer():
    model = Sequential(abs)
    text = "a layer must be callable, got 3 ({}); it is a link or a function"
    for use in (Sequential, model.append, lambda x: model.insert(0, x), lambda x: model.__setitem__(0, x)):
        with pytest.raises(ValueError, match=at_any_line(text)):
            use(3)
    with pytest.raises(ValueError, match=at_any_line("there is no layer 5 ({}); there are 1")):
        model[5] = min
    with pytest.raises(IndexError, match=at_any_line("there is no place 5 for a layer ({}); there are 1 layers")):
        model.insert(5, min)
    with pytest.raises(ValueError, match=at_any_line("<built-in function min> is no layer of this Sequential ({})")):
        model.remove(min)
    with pytest.raises(
        TypeError, match=at_any_line("layers are replaced one by one ({}), got the slice slice(0, 1, None)")
    ):
        model[0:1] = [min]
    text = "only a Sequential can be added to a Sequential, got list ({}); extend() takes lists"
    with pytest.raises(ValueError, match=at_any_line(text)):
        model + [min]  # noqa: RUF005
    with pytest.raises(ValueError, match=at_any_line(text)):
        model += [min]
    with pytest.raises(IndexError):
        Sequential().pop()


def test_sums():
    first, second = Sequential(abs), Sequential(Plain())
    assert list(first + second) == [abs, second[0]]
    same = first
    first += second
    assert first is same
    assert len(first) == 2


def test_by_type():
    model = Sequential(Linear(1, 1), abs, Plain(), abs, np.tanh)
    assert [model.count_by_layer_type(name) for name in ("Linear", "abs", "tanh", "Nope")] == [1, 2, 1, 0]
    model.remove_by_layer_type("abs")
    model.remove_by_layer_type("Plain")
    model.remove_by_layer_type("Nope")
    assert [type(layer).__name__ for layer in model] == ["Linear", "ufunc"]
    assert len(model._children) == 1


def test_flatten():
    model = Sequential(Linear(1, 1), Sequential(Plain(), Sequential(abs)), ChainList(Plain()), Chain())
    flat = model.flatten()
    assert [type(layer).__name__ for layer in flat] == [
        "Linear", "Plain", "builtin_function_or_method", "ChainList", "Chain",
    ]  # fmt: skip
    assert flat[0] is model[0]


def test_copies():
    class Own(Sequential):
        def __init__(self):
            super().__init__(Linear(1, 1), abs, Sequential(Plain()))
            self.kept = 3

    model = Own()
    for mode in ("share", "copy", "init"):
        other = model.copy(mode)
        assert (type(other), other.kept) == (Own, 3)
        assert other[0] is not model[0]
        assert (other[0].W.array is model[0].W.array) == (mode == "share")
        assert other[0] is next(other.children())
        assert other[1] is abs
        assert other[2][0] is not model[2][0]
    repeated = Sequential(Linear(2, 2), abs).repeat(2)
    assert str(repeated) == (
        "Sequential(\n"
        "  (0): Sequential(\n"
        "    (0): Linear(in_size=2, out_size=2),\n"
        "    (1): <built-in function abs>,\n"
        "  ),\n"
        "  (1): Sequential(\n"
        "    (0): Linear(in_size=2, out_size=2),\n"
        "    (1): <built-in function abs>,\n"
        "  ),\n"
        ")"
    )


def test_lambdas():
    model = Sequential(lambda x: x, functools.partial(max, 3))
    for other in (model.copy(), model.copy("copy"), copy.copy(model), copy.deepcopy(model)):
        assert other(5) == 5
    text = (
        "a Sequential with a lambda among its layers cannot be pickled ({}); use a function with a name, or "
        "functools.partial"
    )
    with pytest.raises(ValueError, match=at_any_line(text)):
        pickle.dumps(model)
    assert re.fullmatch(
        r"Sequential\(\n  \(0\): <lambda at .*test_sequential.py:\d+>,\n"
        r"  \(1\): functools.partial\(<built-in function max>, 3\),\n\)",
        str(model),
    )
    other = pickle.loads(pickle.dumps(Sequential(abs, Linear(1, 1))))
    assert other[0] is abs
    assert other[1] is next(other.children())
    assert str(Sequential()) == "Sequential()"
