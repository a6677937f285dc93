"""Kernels that pick by indices, and that add, put and lay at them, in three orders of threads and blocks, against NumPy."""

import numpy as np
import pytest
from hypothesis import strategies as st

from autodiff.backends.cupy.kernels.scatter import Scatter, deterministic
from autodiff.backends.cupy.kernels.special import special_kernel
from tests.backends.cupy.hosting import ORDERS, needs_compiler
from tests.backends.cupy.nvrtc import checked, needs_nvrtc
from tests.backends.cupy.operations import Operation, Together, drawn, tape_of

VALUES = st.sampled_from([np.float32, np.float64, np.float16, np.int64, np.bool_, np.int8, np.complex64, np.complex128])
ADDED = st.sampled_from(
    [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.uint64, np.bool_, np.complex64]
)
INDICES = st.sampled_from([np.int64, np.int32, np.uint8, np.int16])
FEW, SOME = st.integers(0, 3), st.sampled_from([0, 1, 2, 3, 7, 33, 140])
PICKED = st.sampled_from([(0,), (1,), (3,), (33,), (140,), (2, 3), (7, 33), (0, 2)])
REST = st.sampled_from([(), (0,), (1,), (3,), (7,), (33,), (140,), (2, 2), (3, 0), (7, 33)])


def numbers(random, shape, dtype):
    """Small whole numbers: their sums are exact in every order."""
    return random.integers(-3, 4, shape).astype(dtype)


def indices(random, shape, length, dtype):
    """Places of an axis, negative ones too where the dtype has them."""
    low = -length if np.dtype(dtype).kind == "i" else 0
    return random.integers(low, max(length, 1), shape if length else (*shape[:-1], 0)).astype(dtype)


@st.composite
def gathers(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    lead, rest = draw(st.lists(FEW, max_size=2)), draw(REST)
    length = draw(st.integers(0, 9))
    i = indices(random, (*lead, *draw(PICKED)), length, draw(INDICES))
    x = numbers(random, (*lead, length, *rest), draw(VALUES))
    return Operation("gather", x, i, rest=len(rest), chosen=draw(st.booleans()))


@st.composite
def scatters(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    lead, rest = draw(st.sampled_from([(), (0,), (2,), (3,)])), draw(REST)
    length = draw(st.sampled_from([0, 1, 2, 5, 9, 300]))
    i = indices(random, (*lead, *draw(PICKED)), length, draw(INDICES))
    g = numbers(random, (*i.shape, *rest), draw(ADDED))
    operation = Operation("scatter_add", g, i, length=length, rest=len(rest), rank=i.ndim - len(lead))
    scatter, form = Scatter(operation.tape), draw(st.sampled_from(["own", "any order", "ranked", "sorted"]))
    if form == "own" or not scatter.entries * scatter.targets * scatter.columns:
        return operation
    if scatter.in_any_order(ordered=form != "any order"):
        scatter.add_in_any_order()
    else:  # as very many rows are added
        scatter.ranked = scatter.sorted if form == "sorted" else scatter.ranked
        scatter.add_in_order()
    operation.kernel = scatter.writing.kernel()
    return operation


@st.composite
def picks(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    outer, inner = draw(st.lists(FEW, max_size=1)), draw(st.lists(SOME, max_size=1))
    length = draw(st.integers(1, 9))
    order = np.argsort(random.normal(size=(*outer, length, *inner)), axis=len(outer))
    i = (order - length * random.integers(0, 2, order.shape)).take(range(draw(st.integers(0, length))), len(outer))
    if draw(st.booleans()):
        return Operation("pick", numbers(random, order.shape, draw(VALUES)), i, axis=-1 - len(inner))
    return Operation("place", numbers(random, i.shape, draw(VALUES)), i, axis=-1 - len(inner), length=length)


@st.composite
def puts(draw):
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    lead, length = draw(st.lists(FEW, max_size=1)), draw(st.integers(1, 9))
    i = indices(random, (*lead, draw(SOME)), length, draw(INDICES))
    if draw(st.booleans()):
        return Operation("last_writes", i, length=length)
    dtype = draw(VALUES)
    return Operation("put", numbers(random, (*lead, length), dtype), i, numbers(random, i.shape, dtype))


STRATEGIES = ((gathers(), 25), (scatters(), 50), (picks(), 20), (puts(), 15))


@pytest.fixture(scope="module")
def operations():
    return Together([one for strategy, many in STRATEGIES for one in drawn(strategy, many)])


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_drawn(operations, order):
    operations.check(order)


# Sums of many rows.


def many(entries, length, columns, dtype=np.float32, hot=False):
    random = np.random.default_rng(entries)
    i = random.integers(-length, length, entries)
    i[random.random(entries) < 0.5] = 3 if hot else i[0]
    return random.normal(size=(entries, columns)).astype(dtype), i


ROWS = {
    "few, looked at": many(300, 50, 3),
    "ranked": many(700, 2000, 5),
    "ranked, one target has most": many(3000, 40, 2, hot=True),
    "sorted by one digit": many(4200, 255, 1),
    "sorted by two": many(5000, 700, 1, np.float64, hot=True),
    "sorted by three": many(4100, 66_000, 1, np.float16, hot=True),
}


@pytest.fixture(scope="module")
def sums():
    lengths = {"few, looked at": 50, "ranked": 2000, "ranked, one target has most": 40, "sorted by one digit": 255}
    lengths |= {"sorted by two": 700, "sorted by three": 66_000}
    return Together([Operation("scatter_add", *ROWS[name], length=lengths[name], rest=1, rank=1) for name in ROWS])


@needs_compiler
def test_sums_of_many_rows_are_right_and_the_same_in_every_order(sums):
    for place, operation in enumerate(sums.operations):
        found = [sums.run(place, order)[0] for order in ORDERS]
        g, i = operation.arrays
        wanted, size = (np.zeros(found[0].shape) for _ in range(2))
        np.add.at(wanted, i, g.astype(float))
        np.add.at(size, i, abs(g.astype(float)))
        error = np.abs(found[0] - wanted) / np.maximum(size, 1)
        assert error.max() < 64 * np.finfo(found[0].dtype).eps, operation
        assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes(), operation


def test_the_forms_of_sums(sums):
    launches = [[launch.function.removeprefix("kernel_") for launch in one.kernel.launches] for one in sums.operations]
    ranked, passes = ["zeros", "keys", "ranks", "sums", "heads"], ["count0", "add0", "move0", "count1", "add1", "move1"]
    assert launches[:5] == [
        ["kernel"],
        ranked,
        ranked,
        ["zeros", "keys", *passes[:3], "sums", "heads"],
        ["zeros", "keys", *passes, "sums", "heads"],
    ]


@needs_compiler
def test_sums_of_few_rows_are_those_of_numpy_to_the_bit(sums):
    g, i = sums.operations[0].arrays
    wanted = np.zeros((50, 3), np.float32)
    np.add.at(wanted, i, g)
    assert sums.run(0, 2)[0].tobytes() == wanted.tobytes()


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_sums_of_bfloat16_are_taken_in_float32(order):
    dtype = pytest.importorskip("ml_dtypes").bfloat16
    few, many = np.full(16, 0.01, dtype), np.full((600, 1), 0.01, dtype)
    together = Together(
        [
            Operation("scatter_add", few, np.zeros(16, int), length=2, rest=0, rank=1),
            Operation("scatter_add", many, np.zeros(600, int), length=1000, rest=1, rank=1),
        ]
    )
    together.check(
        order, lambda found, wanted, err_msg: np.testing.assert_array_equal(found.astype(float), wanted, err_msg)
    )


@needs_compiler
@pytest.mark.parametrize("targets", [400, 1100])
def test_terms_of_one_target_are_added_in_their_order(targets):
    i = np.random.default_rng(0).permutation(np.repeat(np.arange(targets), 4))
    g = np.empty((i.size, 1), np.float32)
    g[np.argsort(i, kind="stable"), 0] = np.tile([1.0, 1e8, -1e8, 0.5], targets)
    together = Together([Operation("scatter_add", g, i, length=targets, rest=1, rank=1)])
    np.testing.assert_array_equal(together.run(0, 2)[0], np.full((targets, 1), 0.5))


def test_the_order_of_sums_is_up_to_the_environment(monkeypatch):
    tape = tape_of("scatter_add", *many(700, 2000, 5), length=2000, rest=1, rank=1)
    monkeypatch.delenv("AUTODIFF_DETERMINISTIC", raising=False)
    assert special_kernel(tape) == ("scatter_add", {"ordered": True})
    monkeypatch.setenv("AUTODIFF_DETERMINISTIC", "0")
    assert special_kernel(tape) == ("scatter_add", {"ordered": False})
    monkeypatch.setenv("AUTODIFF_DETERMINISTIC", "yes")
    with pytest.raises(ValueError, match="AUTODIFF_DETERMINISTIC") as caught:
        deterministic()
    where = f" (test_indices.py:{caught.traceback[0].lineno + 1})"
    assert str(caught.value) == f"AUTODIFF_DETERMINISTIC is 'yes'{where}; set it to 1 or 0, or leave it away"


# Indices out of range.


X = np.arange(12.0, dtype=np.float32).reshape(4, 3)
WRONG = np.array([3, -4, 4, 1, -5])
LINES = np.array([[0, 3], [-4, 1], [2, 5], [-1, 0]])
WITHIN = (np.arange(700) * 3 % 2000).reshape(700, 1)[:, 0]
FAR = np.where(np.arange(700) == 350, 2000, WITHIN)

OUT_OF_RANGE = {
    "gather": (Operation("gather", X, WRONG, rest=1, chosen=False, status=1), X[[3, 0, 0, 1, 0]] * [[1], [1], [0], [1], [0]]),
    "gather of nothing": (Operation("gather", X[:0], WRONG, rest=1, chosen=False, status=1), np.zeros((5, 3))),
    "gather of rows without elements": (Operation("gather", X[:, :0], WRONG, rest=1, chosen=False, status=1), np.zeros((5, 0))),
    "pick": (
        Operation("pick", X, LINES[:, :2], axis=-1, status=1), [[0, 0], [0, 4], [8, 0], [11, 9]],
    ),
    "scatter, looked at": (
        Operation("scatter_add", np.ones((5, 2)), WRONG, length=4, rest=1, rank=1, status=1), [[1, 1], [1, 1], [0, 0], [1, 1]],
    ),
    "scatter without targets": (Operation("scatter_add", np.ones(5), WRONG, length=0, rest=0, rank=1, status=1), np.zeros(0)),
    "scatter, sorted": (
        Operation("scatter_add", np.ones((700, 1)), FAR, length=2000, rest=1, rank=1, status=1),
        np.bincount(np.delete(FAR, 350), minlength=2000).reshape(2000, 1),
    ),
    "scatter, atomic": (
        Operation("scatter_add", np.ones((700, 1)), FAR, length=2000, rest=1, rank=1, status=1, given={"ordered": False}),
        np.bincount(np.delete(FAR, 350), minlength=2000).reshape(2000, 1),
    ),
    "put": (Operation("put", np.zeros(4), WRONG, np.arange(1.0, 6.0), status=1), [2, 4, 0, 1]),
    "last writes": (Operation("last_writes", WRONG, length=4, status=1), [True, True, False, True, False]),
}  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
def test_an_index_out_of_range_sets_the_status_and_touches_nothing(order):
    together = Together([operation for operation, _ in OUT_OF_RANGE.values()])
    for place, (name, (_, wanted)) in enumerate(OUT_OF_RANGE.items()):
        np.testing.assert_array_equal(together.run(place, order)[0], wanted, err_msg=name)


# What has no kernel.


@pytest.mark.parametrize(
    "tape",
    [
        tape_of("gather", np.ones((2, 3, 4)), np.zeros((1, 5), int), rest=1, chosen=False),
        tape_of("gather", np.ones(3, "U3"), np.zeros(2, int), rest=0, chosen=False),
        tape_of("pick", np.ones((2, 3)), np.zeros((1, 2), int), axis=-1),
        tape_of("scatter_add", np.ones((2, 5)), np.zeros(5, int), length=3, rest=0, rank=1),
        tape_of("scatter_add", np.ones(5, np.int16), np.zeros(5, int), length=3, rest=0, rank=1),
        tape_of("put", np.ones(5), np.zeros(2, int), np.ones(1)),
        tape_of("transpose", np.ones((2, 5)), axes=(-1, -2)),
        tape_of("argsort", np.ones(5), axis=-1, kind=None),
    ],
)
def test_other_operations_have_no_kernel_here(tape):
    assert special_kernel(tape) is None


@needs_nvrtc
def test_nothing_spills():
    half, single = np.ones((5000, 64), np.float16), np.ones((5000, 64), np.float32)
    i = np.zeros(5000, int)
    together = Together(
        [
            Operation("gather", single, i, rest=1, chosen=False),
            Operation("gather", half.reshape(5000, 8, 8), np.zeros((5000, 3), np.int32), rest=1, chosen=False),
            Operation("scatter_add", single[:, 0], i, length=300, rest=0, rank=1),
            Operation("scatter_add", half[:200], i[:200], length=300, rest=1, rank=1),
            Operation("put", single, np.zeros((5000, 3), int), single[:, :3]),
        ]
    )
    checked(together.module.source)
