"""How a call finds its program: by printed code where it can, by general code where it must, and rightly by both."""

import sys
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from autodiff import Variable, grad, register_tree, vjp
from autodiff import jit as jit_
from autodiff.facade.settings.configuration import config, global_config, using_config
from autodiff.transforms.jit.call_path import call_path, printer_of

jit = partial(jit_, backend="numpy")
X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Layer:
    w: Any
    b: Any


class Own:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Own({self.x!r})"


register_tree(Own, lambda own: ((own.x,), None), lambda _, children: Own(*children))


def settled(fun, *args, **kwargs):
    """A function that has been called so often that its call path is there."""
    jitted = jit(fun)
    for _ in range(3):
        jitted(*args, **kwargs)
    return jitted


def general_calls(jitted, call):
    """How many of the functions that ``call`` runs look at it in general code."""
    seen = []

    def profile(frame, event, _):
        if event == "call" and frame.f_code is type(jitted).recorded.__code__:
            seen.append(frame)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(seen)


def frames(call):
    """How many Python functions a call runs."""
    count = 0

    def profile(frame, event, _):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


def test_the_printed_path():
    jitted = settled(lambda x, tree, n: x * tree["w"] + tree["b"], X, {"w": X, "b": 1.0}, n=Pair([None], np.float32(1)))
    (signature,) = jitted.programs.signatures.values()
    assert printer_of(signature).source() == (
        "def call(self, args, kwargs):\n"
        "    try:\n"
        "        if not (\n"
        "            len(args) == 2\n"
        "            and len(kwargs) == 1\n"
        "            and type(x0 := args[0]) is ndarray\n"
        "            and type(x1 := args[1]) is dict\n"
        "            and len(x1) == 2\n"
        "            and type(x2 := x1['b']) is float\n"
        "            and type(x3 := x1['w']) is ndarray\n"
        "            and type(x4 := kwargs['n']) is given_5\n"
        "            and type(x5 := x4[0]) is list\n"
        "            and len(x5) == 1\n"
        "            and x5[0] is None\n"
        "            and type(x6 := x4[1]) is given_6\n"
        "        ):\n"
        "            return self.otherwise(args, kwargs)\n"
        "    except (AttributeError, LookupError):\n"
        "        return self.otherwise(args, kwargs)\n"
        "    state = now.shared or surrounding_state()\n"
        "    details = (x0.shape, x0.dtype, x3.shape, x3.dtype, )\n"
        "    last = signature.last\n"
        "    if state is not last.state or details != last.details:\n"
        "        last = signature.find(state, details)\n"
        "        if last is None:\n"
        "            return self.otherwise(args, kwargs)\n"
        "    outs = last.run((x0, x2, x3, x6, ))\n"
        "    return outs[0] if last.rebuild is None else last.rebuild(outs)\n"
    )


def test_a_call_runs_few_python_functions():
    leaf = settled(lambda x: x * 2, 1.0)
    run = leaf.recorded((1.0,), {})[0].run
    program = frames(lambda: run((1.0,)))
    assert frames(lambda: leaf(1.0)) <= program + 2  # __call__ and the printed path
    tree = {"a": {"b": 1.0, "c": [2.0, 3.0]}, "d": (4.0, None)}
    whole = settled(lambda tree: tree, tree)
    run = whole.recorded((tree,), {})[0].run
    program = frames(lambda: run((1.0, 2.0, 3.0, 4.0)))
    assert frames(lambda: whole(tree)) <= program + 3  # and the printed constructor


TREES = [
    1.0,
    X,
    np.float32(1.5),
    True,
    {"a": 1.0, "b": X},
    {"z": {"y": [X, (1, 2.0)]}, "a": None},
    Pair(X, Pair(1.0, None)),
    Layer(X, {"bias": 2}),
    [(), {}, [], None, X],
    {1: X, 2: 3.0},
    {("a", 1): 1.0, ("a", 0): 2.0},
    {"not an identifier'": 1.0, "class": 2.0},
    OrderedDict(a=1.0),
    Own(2.0),
    {"a": Own({"b": X}), "c": 1.0},
]


def equal(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (dict, OrderedDict)):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, (Layer, Own)):
        return equal(vars(a), vars(b))
    return np.array_equal(a, b)


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees_come_back_as_they_are(tree):
    jitted = jit(lambda tree: tree)
    for _ in range(4):
        assert equal(jitted(tree), tree)
        assert equal(jitted(tree=tree), tree)
    assert jitted.cache_size() == 2
    printable = "Own" not in repr(tree) and "('a', 1)" not in repr(tree) and type(tree) is not OrderedDict
    assert (general_calls(jitted, lambda: jitted(tree)) == 0) is printable


def test_calls_that_do_not_fit_fall_through():
    """Every tree meets the call paths of all others, in every order of recording."""
    for offset in range(len(TREES)):
        order = TREES[offset:] + TREES[:offset]
        jitted = jit(lambda tree: (tree, 0.5))
        for _ in range(3):
            for tree in order:
                assert equal(jitted(tree), (tree, 0.5))


NEAR = [
    {"a": 1.0},
    {"a": 1.0, "b": 2.0, "c": 3.0},
    {"a": 1.0, "c": 2.0},
    {"a": 1.0, "b": X},
    {"a": 1, "b": 2.0},
    {"a": np.float64(1.0), "b": 2.0},
    {"a": True, "b": 2.0},
    {"a": [1.0], "b": 2.0},
    {"a": None, "b": 2.0},
    [1.0, 2.0],
    (1.0, 2.0),
    Pair(1.0, 2.0),
    1.0,
    None,
]


@pytest.mark.parametrize("other", NEAR, ids=repr)
def test_what_is_nearly_the_same_is_something_else(other):
    calls = []

    def f(tree):
        calls.append(tree)
        return tree

    jitted = settled(f, {"a": 1.0, "b": 2.0})
    for _ in range(3):
        assert equal(jitted(other), other)
    assert len(calls) == 2
    assert equal(jitted({"a": 3.0, "b": 4.0}), {"a": 3.0, "b": 4.0})
    assert len(calls) == 2


def test_the_order_of_keys():
    jitted = settled(lambda tree: list(tree.values()), {"a": 1.0, "b": 2.0})
    assert jitted({"b": 20.0, "a": 10.0}) == [10.0, 20.0]
    assert jitted.cache_size() == 1
    mixed = settled(lambda tree: list(tree.values()), {"a": 1.0, 1: 2.0})
    assert mixed({1: 20.0, "a": 10.0}) == [20.0, 10.0]
    assert mixed.cache_size() == 2


def test_subclasses_of_containers_and_arrays():
    class Names(dict):
        pass

    class Array(np.ndarray):
        pass

    jitted = settled(lambda x: x * 2, X)
    assert type(jitted(X.view(Array))) is Array
    assert jitted.cache_size() == 1
    of_tree = settled(lambda tree: tree["a"], {"a": 1.0})
    with pytest.raises(TypeError, match=r"was called with Names at args\[0\]"):
        of_tree(Names(a=1.0))
    assert of_tree(defaultdict(float, a=2.0)) == 2.0


def test_arguments_by_position_and_by_name():
    calls = []

    def f(x, y=1.0, *, z=2.0):
        calls.append((x, y, z))
        return x * y + z

    jitted = jit(f)
    for _ in range(3):
        assert (jitted(1.0), jitted(1.0, 2.0), jitted(1.0, y=3.0), jitted(z=4.0, x=5.0)) == (3.0, 4.0, 5.0, 9.0)
    assert len(calls) == 4
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        jitted()


def test_static_arguments_are_told_apart():
    seen = []

    def f(x, n, name="a"):
        seen.append((n, name))
        return x * len(name)

    jitted = jit(f, static_argnums=1, static_argnames="name")
    values = [
        1,
        True,
        1.0,
        0.0,
        -0.0,
        (1, 2),
        (1, 2.0),
        (True, 2),
        None,
        "a",
        X.dtype,
        np.int64(1),
        frozenset((1, 2)),
        len,
    ]
    for _ in range(4):
        for value in values:
            jitted(1.0, value)
    assert len(seen) == len(values)
    assert jitted.cache_size() == len(values)
    assert jitted(1.0, 1, "long") == jitted(1.0, n=1, name="long") == 4.0
    general = partial(general_calls, jitted)
    many = tuple(range(300, 310))
    for _ in range(3):
        jitted(1.0, many)
    assert general(lambda: jitted(1.0, tuple(range(300, 310)))) == 0
    assert general(lambda: jitted(1.0, [1]) if False else None) == 0


def test_several_forms_are_recognised_in_turn():
    jitted = jit(lambda x: x)
    arguments = [1.0, 2, X, (1.0,), [1.0], {"a": 1.0}]
    for _ in range(3):
        for argument in arguments:
            assert equal(jitted(argument), argument)
    assert general_calls(jitted, lambda: [jitted(argument) for _ in range(9) for argument in arguments]) == 0
    for _ in range(9):
        jitted(2)
    assert jitted.tried[0].key.kinds == (int,)


def test_shapes_and_dtypes_are_looked_up():
    jitted = jit(lambda x: x.shape[0] * x)
    arrays = [np.ones(n, dtype) for n in range(1, 6) for dtype in (np.float32, np.float64, ">f8")]
    for _ in range(3):
        for array in arrays:
            out = jitted(array)
            assert (out[0], out.shape) == (len(array), array.shape)
    assert jitted.cache_size() == len(arrays)
    assert general_calls(jitted, lambda: [jitted(array) for array in arrays]) == 0


def test_what_holds_around_a_call():
    jitted = settled(lambda x: x * 2 if config.train else x, 1.0)
    for _ in range(3):
        assert jitted(1.0) == 2.0
        with using_config("train", False):
            assert jitted(1.0) == 1.0
            with using_config("train", True):
                assert jitted(1.0) == 2.0
        assert jitted(1.0) == 2.0
        with using_config("train", False, global_config):
            assert jitted(1.0) == 1.0
    assert jitted.cache_size() == 2
    assert general_calls(jitted, lambda: jitted(1.0)) == 0


def test_traced_values_and_variables_share_the_programs():
    calls = []

    def f(x, w):
        calls.append(x)
        return np.sum(x * w["a"])

    jitted = settled(f, X, {"a": 2.0})
    for _ in range(3):
        np.testing.assert_array_equal(grad(jitted)(X, {"a": 2.0}), np.full(3, 2.0))
        assert vjp(jitted, X, {"a": 2.0})[1](1.0)[1] == {"a": 6.0}
        x = Variable(X)
        jitted(x, {"a": 2.0}).backward()
        np.testing.assert_array_equal(x.grad, np.full(3, 2.0))
        assert jitted(X, {"a": 2.0}) == 12.0
    assert len(calls) == 1


def test_constants_are_copied_each_time():
    scale = np.array([1.0, 2.0])
    jitted = settled(lambda x: {"scale": scale, "x": x * scale, "one": 1.0}, np.ones(2))
    scale[:] = 9.0
    for _ in range(3):
        out = jitted(np.ones(2))
        assert (out["scale"].tolist(), out["x"].tolist(), out["one"]) == ([1.0, 2.0], [1.0, 2.0], 1.0)
        out["scale"][:] = 7.0


def test_the_least_recently_used_program_goes():
    calls = []

    def f(x):
        calls.append(x.shape)
        return x

    jitted = jit(f)
    jitted.kept = 3
    for n in (1, 2, 3, 1, 4):
        jitted(np.ones(n))
    assert jitted.cache_size() == 3
    calls.clear()
    for n in (1, 3, 4):
        jitted(np.ones(n))
    assert calls == []
    jitted(np.ones(2))
    jitted(np.ones(1))
    assert calls == [(2,), (1,)]
    assert jit_.kept == 4096


def test_forms_go_with_their_programs():
    jitted = jit(lambda x, n: x * n, static_argnums=1)
    jitted.kept = 5
    for n in range(40):
        for _ in range(3):
            assert jitted(1.0, n) == n
    assert (jitted.cache_size(), len(jitted.programs.signatures), len(jitted.tried)) == (5, 5, 8)
    assert [jitted(1.0, n) for n in range(40)] == list(range(40))
    jitted.clear_cache()
    assert (jitted.cache_size(), len(jitted.programs.signatures), len(jitted.tried)) == (0, 0, 0)
    assert jitted(1.0, 3) == 3


def test_what_it_closes_over_is_taken_anew_after_clearing():
    scale = np.array(2.0)
    jitted = settled(lambda x: x * scale, 1.0)
    scale[...] = 3.0
    assert jitted(1.0) == 2.0
    jitted.clear_cache()
    assert jitted(1.0) == 3.0


def test_large_trees_take_the_general_way():
    tree = [float(k) for k in range(600)]
    jitted = settled(lambda tree: tree, tree)
    (signature,) = jitted.programs.signatures.values()
    assert call_path(signature) is None
    assert jitted(tree) == tree
    assert general_calls(jitted, lambda: jitted(tree)) == 1


def test_scalars_of_unusual_dtypes():
    for value in (np.datetime64("2020-01-01"), np.str_("text"), np.longdouble(2), np.float16(2), np.bool_(True)):
        jitted = settled(lambda x: x, value)
        assert jitted(value) == value


def test_equal_keys_of_other_types_are_other_structures():
    numbers = np.arange(3)
    scaled = jit(lambda tree: [value * key for key, value in tree.items()])
    for _ in range(3):
        assert scaled({1: numbers})[0].dtype == np.int64
        assert scaled({1.0: numbers})[0].dtype == np.float64
    signed = jit(lambda tree: [np.copysign(value, key) for key, value in tree.items()])
    for key in (0.0, -0.0, 0.0, -0.0):
        np.testing.assert_array_equal(signed({key: numbers + 1.0})[0], np.copysign(numbers + 1.0, key))
    same = jit(lambda tree: tree)
    assert [type(next(iter(same({key: numbers})))) for key in (1, True, 1, True)] == [int, bool, int, bool]


def test_sets_that_are_static():
    total = jit(lambda x, numbers: x * sum(numbers), static_argnums=1)
    found = [total(np.arange(3), frozenset([key])).dtype for key in (1, 1.0, 1)]
    assert found == [np.int64, np.float64, np.int64]
