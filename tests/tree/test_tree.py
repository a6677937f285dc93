"""Trees taken apart and built again: every kind of container, under every transformation; names, masks, vectors."""

import enum
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NamedTuple

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff
from autodiff import tree
from autodiff.trace.trees.fields import is_static
from autodiff.tree import Static
from tests.trace.foreign.libraries import Frame, Series

X = np.array([0.3, -0.8, 1.1])


class Pair(NamedTuple):
    x: Any
    y: Any


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Dense:
    weight: Any
    bias: float
    activation: str = "tanh"
    units: Static[int] = 3
    note: Any = field(default=None, metadata={"static": True})


@attrs.define
class Slotted:
    weight: Any
    name: str = "layer"


@attrs.frozen
class Frozen:
    weight: Any
    scale: float = 2.0


@dataclass(frozen=True)
class Late:
    weight: "NotThere"  # noqa: F821 - an annotation that cannot be evaluated
    units: "tree.Static[int]"
    label: "str | None" = None


TREES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "dict": ({"b": X, "a": 2.0}, lambda t: np.sum(t["b"]) * t["a"]),
    "tuple": ((X, [2.0, None]), lambda t: np.sum(t[0]) * t[1][0]),
    "named tuple": (Pair(X, 2.0), lambda t: np.sum(t.x) * t.y),
    "OrderedDict": (OrderedDict(z=X, a=2.0), lambda t: np.sum(t["z"]) * t["a"]),
    "defaultdict": (defaultdict(list, z=X, a=2.0), lambda t: np.sum(t["z"]) * t["a"]),
    "SimpleNamespace": (SimpleNamespace(z=X, a=2.0), lambda t: np.sum(t.z) * t.a),
    "dataclass": (Dense(X, 2.0), lambda t: np.sum(t.weight) * t.bias * t.units / (3 if t.activation == "tanh" else 1)),
    "attrs": (Slotted(X), lambda t: np.sum(t.weight) * len(t.name)),
    "frozen attrs": (Frozen(X), lambda t: np.sum(t.weight) * t.scale),
    "late annotations": (Late(X, 3), lambda t: np.sum(t.weight) * t.units),
}


def equal(a: Any, b: Any) -> None:
    (left, of_left), (right, of_right) = tree.flatten(a), tree.flatten(b)
    assert of_left == of_right
    for one, other in zip(left, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("kind", TREES)
def test_every_container_is_built_again(kind: str) -> None:
    given_one, _ = TREES[kind]
    leaves, its = tree.flatten(given_one)
    again = tree.unflatten(its, leaves)
    assert type(again) is type(given_one)
    assert tree.structure(again) == its
    assert hash(tree.structure(again)) == hash(its)
    assert all(a is b for a, b in zip(tree.leaves(again), leaves, strict=True))
    assert len(tree.paths(given_one)) == len(tree.names(given_one)) == len(leaves) == its.count


@pytest.mark.parametrize("kind", TREES)
def test_every_container_is_an_argument_and_a_result(kind: str) -> None:
    at, loss = TREES[kind]
    gradient = autodiff.grad(loss)(at)
    assert type(gradient) is type(at)
    assert tree.structure(gradient) == tree.structure(at)
    equal(autodiff.jit(autodiff.grad(loss))(at), gradient)
    equal(autodiff.jit(lambda t: tree.map(lambda x: 2 * x, t))(at), tree.map(lambda x: 2 * x, at))
    vector, unravel = tree.ravel(at)
    by_vector = autodiff.grad(lambda v: loss(unravel(v)))(vector)
    np.testing.assert_allclose(tree.ravel(gradient)[0], by_vector, rtol=1e-12)
    moved = autodiff.jvp(loss, (at,), (gradient,))[1]
    np.testing.assert_allclose(moved, by_vector @ by_vector, rtol=1e-12)
    carried = autodiff.scan(lambda carry, _: (tree.map(lambda x: x * 0.5, carry), None), at, length=2)[0]
    equal(carried, tree.map(lambda x: x * 0.25, at))


def test_compiled_calls_follow_static_fields() -> None:
    recorded = []

    @autodiff.jit
    def apply(layer: Dense) -> Any:
        recorded.append(layer.activation)
        return getattr(np, layer.activation)(layer.weight) * layer.units

    for _ in range(4):
        np.testing.assert_allclose(apply(Dense(X, 1.0)), 3 * np.tanh(X))
        np.testing.assert_allclose(apply(Dense(X, 1.0, "sin")), 3 * np.sin(X))
        np.testing.assert_allclose(apply(Dense(X, 1.0, "sin", 4)), 4 * np.sin(X))
    assert recorded == ["tanh", "sin", "sin"]
    assert apply(Dense(X, 1.0, "sin", True)).dtype == float  # 1 and True are two structures
    assert len(recorded) == 4


def test_static_fields_are_part_of_the_structure() -> None:
    assert tree.structure(Dense(X, 1.0, units=1)) != tree.structure(Dense(X, 1.0, units=True))
    assert tree.structure(Dense(X, 1.0, note=0.0)) != tree.structure(Dense(X, 1.0, note=-0.0))
    assert tree.structure(Dense(X, 1.0, note=(1, "a"))) == tree.structure(Dense(X, 2.0, note=(1, "a")))
    with pytest.raises(TypeError) as caught:
        tree.leaves(Dense(X, 1.0, note=X))
    assert str(caught.value) == (
        "the field note of Dense is static by its annotation, but holds ndarray, which cannot be hashed "
        f"({here(caught)}); annotate it as an array, or keep numbers, texts, functions and tuples of them there"
    )
    with pytest.raises(TypeError, match="the field units of Dense is static by its annotation, but holds a traced val"):
        autodiff.grad(lambda x: tree.leaves(Dense(x, 1.0, units=x))[0])(1.0)


def here(caught: Any) -> str:
    """The line of this file that raised."""
    entry = [e for e in caught.traceback if str(e.path) == __file__][-1]
    return f"test_tree.py:{entry.lineno + 1}"


@pytest.mark.parametrize(
    ("annotation", "static"),
    [
        (str, True), (str | None, True), (bytes, True), (Static[Any], True), (type, True), (type[int], True),
        (Color, True), (Literal["a", "b"], True), (Callable, True), (Callable[[int], int], True), (np.dtype, True), (np.dtype[Any], True),
        (Annotated[str, "a unit"], True), ("Static[int]", True), ("tree.Static[int]", True), ("str", True), ("Callable[..., X]", True),
        (int, False), (float, False), (bool, False), (np.ndarray, False), (Any, False), (None, False), (str | int, False), ("strange", False),
        (Annotated[float, "metres"], False), (list[str], False), ("np.ndarray", False),
    ],
)  # fmt: skip
def test_which_annotations_are_static(annotation: Any, static: bool) -> None:
    assert is_static(annotation) is static


def test_a_tape_with_static_fields_is_saved() -> None:
    from autodiff.trace.formats.save import tape_from_json, tape_to_json

    tape = autodiff.make_tape(lambda layer: np.sum(layer.weight) * layer.bias)(Dense(X, 2.0, note=(1, 2.0)))
    again = tape_from_json(tape_to_json(tape), [Dense])
    assert again == tape
    assert float(autodiff.eval_tape(again, Dense(X, 2.0, note=(1, 2.0)))) == pytest.approx(2 * np.sum(X))
    with pytest.raises(ValueError, match="the tape was made for arguments"):
        autodiff.eval_tape(again, Dense(X, 2.0, note=(1, 2)))


AXES: list[tuple[Any, Any]] = [
    (OrderedDict(z=np.ones((2, 3)), a=2.0), OrderedDict(z=0, a=None)),
    (defaultdict(list, z=np.ones((3, 2)), a=2.0), defaultdict(list, a=None, z=1)),
    (SimpleNamespace(z=np.ones((2, 3)), a=2.0), SimpleNamespace(z=0, a=None)),
    (Pair(np.ones((2, 3)), 2.0), Pair(0, None)),
    (Dense(np.ones((2, 3)), 2.0), Dense(0, None)),  # type: ignore[arg-type]
    (Slotted(np.ones((2, 3))), Slotted(0)),
    ({"z": [np.ones((2, 3)), 1.0], "a": None}, {"z": [0, None], "a": None}),
]


@pytest.mark.parametrize(("batch", "axes"), AXES, ids=lambda value: type(value).__name__)
def test_axes_of_batches_are_trees_that_begin_like_the_argument(batch: Any, axes: Any) -> None:
    found = autodiff.vmap(lambda t: tree.map(lambda x: 2 * x, t), in_axes=(axes,))(batch)
    assert tree.structure(found) == tree.structure(batch)
    assert {np.shape(leaf) for leaf in tree.leaves(found)} <= {(2, 3), (2,)}
    with pytest.raises(ValueError, match=r"vmap: in_axes has .* where the values have"):
        autodiff.vmap(lambda t: t, in_axes=(axes,))([batch])


# Names and masks.


def test_names_and_paths() -> None:
    t = {"a": [X, OrderedDict(w=1.0)], "b": Dense(X, 1.0), "c": SimpleNamespace(d=Pair(1.0, None))}
    assert tree.names(t) == ["a/0", "a/1/w", "b/weight", "b/bias", "c/d/x"]
    assert tree.paths(t) == ["['a'][0]", "['a'][1]['w']", "['b'].weight", "['b'].bias", "['c'].d.x"]
    assert tree.names(1.0) == [""]
    assert tree.map_with_names(lambda name, _: name, t) == tree.unflatten(tree.structure(t), tree.names(t))


def test_masks_by_name() -> None:
    params = {"l1": {"W": X, "b": 1.0}, "l2": [{"W": X, "b": 1.0}]}
    assert tree.mask(params, "*/W") == {"l1": {"W": True, "b": False}, "l2": [{"W": True, "b": False}]}
    assert tree.mask(params, "l1/*", "*/b") == {"l1": {"W": True, "b": True}, "l2": [{"W": False, "b": True}]}
    with pytest.raises(
        ValueError, match=r"tree.mask: no leaf has a name like 'l3/\*' \(test_tree.py:\d+\); there are l1"
    ):
        tree.mask(params, "l3/*")


# Selection.


def test_partition_and_combine() -> None:
    model = {"w": X, "n": 3, "name": "net", "none": None, "flags": [True, 2.0]}
    chosen, rest = tree.partition(model)
    assert tree.names(chosen) == ["flags/1", "w"]
    assert tree.names(rest) == ["flags/0", "n", "name"]
    assert tree.structure(tree.combine(chosen, rest)) == tree.structure(model)
    assert tree.combine(rest, chosen)["name"] == "net"
    gradient = autodiff.grad(lambda c: np.sum(tree.combine(c, rest)["w"]) ** tree.combine(c, rest)["n"])(chosen)
    np.testing.assert_allclose(gradient["w"], 3 * np.sum(X) ** 2)
    assert gradient["n"] is None
    head, body = tree.partition({"head": [X, X], "body": X}, {"head": True, "body": False})
    assert tree.names(head) == ["head/0", "head/1"]
    assert tree.names(body) == ["body"]
    with pytest.raises(ValueError, match=r"a tree of booleans does not fit \(test_tree.py:\d+\): it has 'yes' where"):
        tree.partition({"head": X}, {"head": "yes"})
    with pytest.raises(
        TypeError, match=r"tree.ravel: a/name is str \(test_tree.py:\d+\); ravel what is differentiated"
    ):
        tree.ravel({"a": {"name": "text", "w": 1.0}})
    with pytest.raises(ValueError, match=r"tree.combine: 2 trees have something in one place \(test_tree.py:\d+\)"):
        tree.combine(1.0, 2.0)


# Maps and reductions.


def test_maps_and_reductions() -> None:
    t = {"a": (1.0, 2.0), "b": None}
    assert tree.map(lambda x, y: x + y, t, {"a": (10.0, 20.0), "b": None}) == {"a": (11.0, 22.0), "b": None}
    assert tree.map(sum, {"a": (1.0, 2.0)}, is_leaf=lambda part: isinstance(part, tuple)) == {"a": 3.0}
    assert tree.reduce(lambda a, b: a + b, t) == 3.0
    assert tree.reduce(lambda a, b: a + b, {}, 5.0) == 5.0
    with pytest.raises(TypeError, match=r"tree.reduce: the tree has no leaves \(test_tree.py:\d+\); give an initial"):
        tree.reduce(lambda a, b: a + b, {})
    with pytest.raises(
        ValueError, match=r"trees of different structure \(test_tree.py:\d+\): \{'a': \*\} and \{'b': \*\}"
    ):
        tree.map(lambda a, b: a, {"a": 1}, {"b": 1})
    with pytest.raises(
        ValueError, match=r"int cannot be registered as a tree \(test_tree.py:\d+\): arrays, numbers and"
    ):
        tree.register(int, lambda x: ((), x), lambda x, _: x)
    with pytest.raises(ValueError, match="SimpleNamespace is registered as a tree already"):
        tree.register(SimpleNamespace, lambda t: ((), None), lambda extra, children: SimpleNamespace())


def test_the_place_where_large_trees_differ_is_named():
    one = {"layers": [{"w": 1.0, "b": 2.0}] * 40, "scale": 1.0}
    other = {"layers": [{"w": 1.0, "b": 2.0}] * 39 + [{"w": 1.0}], "scale": 1.0}
    with pytest.raises(
        ValueError,
        match=r"^trees of different structure \(test_tree.py:\d+\): at \['layers'\]\[39\], {'b': \*, 'w': \*} and {'w': \*}$",
    ):
        tree.map(lambda a, b: a + b, one, other)


def test_registered_classes_name_their_children() -> None:
    class Point:
        def __init__(self, x: Any, y: Any) -> None:
            self.x, self.y = x, y

    tree.register(Point, lambda p: ((p.x, p.y), None), lambda _, children: Point(*children), lambda _: ("x", "y"))
    assert tree.names([Point(1.0, 2.0)]) == ["0/x", "0/y"]
    assert tree.paths([Point(1.0, 2.0)]) == ["[0].x", "[0].y"]


# Vectors.

NUMBERS = st.one_of(
    st.floats(-5, 5),
    st.floats(-5, 5).map(np.float64),
    st.lists(st.floats(-5, 5), max_size=3).map(np.array),
    st.lists(st.floats(-5, 5, width=32), max_size=3).map(lambda x: np.array(x, np.float32)),
    st.floats(-5, 5).map(np.array),
)
SOME_TREES = st.recursive(
    NUMBERS,
    lambda children: st.one_of(
        st.lists(children, max_size=3),
        st.dictionaries(st.sampled_from("abc"), children, max_size=3),
        st.dictionaries(st.sampled_from("abc"), children, max_size=3).map(OrderedDict),
        st.tuples(children, st.none()),
        st.builds(Pair, children, children),
        st.builds(lambda w, u: Dense(w, 1.0, units=u), children, st.integers(0, 2)),
        st.builds(Slotted, children),
    ),
    max_leaves=6,
)


@given(SOME_TREES)
def test_a_vector_is_made_of_a_tree_and_back(some: Any) -> None:
    vector, unravel = tree.ravel(some)
    again = unravel(vector)
    assert tree.structure(again) == tree.structure(some)
    for one, other in zip(tree.leaves(some), tree.leaves(again), strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
    assert vector.shape == (sum(np.size(leaf) for leaf in tree.leaves(some)),)


def test_ravel_refuses_what_a_vector_would_change() -> None:
    with pytest.raises(TypeError, match=r"tree.ravel: n is int64\[\]python|tree.ravel: n is .* and w is float64\[3\]"):
        tree.ravel({"w": X, "n": 3})
    with pytest.raises(TypeError, match=r"ravel what is differentiated alone, tree.partition\(tree\)\[0\]"):
        tree.ravel([X, 1j * X])
    with pytest.raises(
        TypeError,
        match=r"^tree.ravel: w is str \(test_tree.py:\d+\); ravel what is differentiated alone, tree.partition",
    ):
        tree.ravel({"w": "text"})
    _, unravel = tree.ravel({"w": X})
    _, of_integers = tree.ravel({"k": 1, "w": np.arange(2)})
    assert of_integers(np.array([2, 3, 4]))["k"] == of_integers([2, 3, 4])["k"] == 2
    with pytest.raises(
        TypeError,
        match=r"^unravel: the vector is float64, but k was int64 when the tree was raveled \(test_tree.py:\d+\); "
        r"ravel a tree of floating-point numbers, 3.0 in place of 3$",
    ):
        autodiff.grad(lambda v: of_integers(v)["k"] * 2.0)(X)
    with pytest.raises(TypeError, match=r"is complex128, but w was float64 .* of complex numbers, 3.0 \+ 0j"):
        unravel(1j * X)
    with pytest.raises(ValueError, match=r"unravel takes a vector of 3 numbers, got shape \(2,\) \(test_tree.py:\d+\)"):
        unravel(X[:2])


def test_tables_are_leaves_that_are_refused_by_name() -> None:
    for table in (Frame(X), Series(X)):
        assert tree.leaves({"t": table})[0] is table
        assert not tree.is_differentiable(table)
        with pytest.raises(TypeError, match=r"an object of type .*take its numbers, x.to_numpy\(\)"):
            tree.ravel({"t": table})
