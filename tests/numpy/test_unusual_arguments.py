"""Arguments that few programs pass, beside NumPy itself."""

import numpy as np
import pytest

import autodiff
import autodiff.numpy
import autodiff.testing
from autodiff import jit
from autodiff.trace.errors import ConcretizationError

A = np.arange(12.0).reshape(3, 4)
INF = np.inf


def test_masks_of_copyto_count():
    def plain(x):
        kept = np.array([7.0, 7.0, 7.0])
        np.copyto(kept, 0.0, where=x > 1)
        return np.sum(x * kept)

    def traced(x):
        kept = np.zeros_like(x) + 7.0
        np.copyto(kept, 0.0, where=x > 1)
        return np.sum(x * kept)

    x = np.array([0.3, 1.2, 2.5])
    np.testing.assert_array_equal(autodiff.grad(plain)(x), [7.0, 0.0, 0.0])
    for transformed in (jit(plain), jit(autodiff.grad(plain)), lambda x: autodiff.vmap(plain)(x[None])):
        with pytest.raises(ConcretizationError, match="written into a plain array"):
            transformed(x)
    assert jit(traced)(x) == pytest.approx(2.1)
    np.testing.assert_array_equal(jit(autodiff.grad(traced))(x), [7.0, 0.0, 0.0])


def test_masks_as_lists_and_numbers():
    x = np.array([1.0, 2.0, 3.0])
    ours = jit(lambda x: np.add(x, 1, out=np.zeros_like(x), where=[True, False, True]))(x)
    np.testing.assert_array_equal(ours, [2.0, 0.0, 4.0])
    np.testing.assert_allclose(jit(lambda x: np.exp(x, where=np.True_))(x), np.exp(x))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
def test_digitize(bins, right):
    x = np.array([2.0, 1.0, 3.0, 2.5, 0.0, 4.0])
    np.testing.assert_array_equal(jit(lambda x: np.digitize(x, bins, right))(x), np.digitize(x, bins, right))


@pytest.mark.parametrize("labels", [[0, 30], [30, 0], [26, 25], [25, 26], [3, 1]])
def test_labels_of_einsum_that_are_numbers(labels):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(jit(lambda x: np.einsum(x, labels))(x), np.einsum(x, labels))


@pytest.mark.parametrize(
    "index", [(np.int64(11),), (np.int64(1),), (-1,), (1, 2), ((1, 2),), (np.uint8(2), np.int8(1))]
)
def test_item(index):
    assert jit(lambda a: a.item(*index) + 0.0)(A) == A.item(*index)
    gradient = autodiff.grad(lambda a: a.item(*index))(A)
    assert gradient.sum() == 1.0
    assert gradient[A.item(*index) == A] == 1.0


POINTS = [
    ([0.0, 1.0, 2.0], [0.0, INF, 1.0]), ([0.0, 1.0, 2.0], [5.0, INF, 7.0]), ([0.0, 1.0, 2.0], [INF, INF, 7.0]),
    ([0.0, 1.0, 2.0], [-INF, INF, np.nan]), ([1.0], [4.0]), ([0.0, 1.0], [-INF, -INF]),
]  # fmt: skip


@pytest.mark.parametrize(("places", "values"), POINTS)
def test_interp_beside_infinities(places, values):
    x, fp = np.array([0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 3.0, np.nan]), np.array(values)
    expected = np.interp(x, places, fp)
    np.testing.assert_array_equal(jit(lambda x: np.interp(x, places, fp))(x), expected)
    np.testing.assert_array_equal(jit(lambda x, fp: np.interp(x, places, fp))(x, fp), expected)


def test_histogram_of_nothing():
    weighted = jit(lambda w: np.histogram(np.zeros(0), bins=3, weights=w)[0])(np.zeros(0))
    np.testing.assert_array_equal(weighted, np.zeros(3))


def test_cov_of_columns_beside_a_row():
    ours = jit(lambda a: np.cov(a[:1].T, a[1:2], rowvar=False))(A)
    np.testing.assert_allclose(ours, np.cov(A[:1].T, A[1:2], rowvar=False))


def test_axes_that_do_not_exist():
    for axis in (2, 5, -3):
        with pytest.raises(np.exceptions.AxisError):
            jit(lambda a, axis=axis: np.take_along_axis(a, np.zeros((3, 4), int), axis=axis))(A)


def test_tangents_are_arrays_of_their_own():
    direction = np.ones(3)
    _, tangent = autodiff.jvp(lambda x: x + 1, (np.zeros(3),), (direction,))
    tangent *= 5
    np.testing.assert_array_equal(direction, np.ones(3))
    _, (one, other) = autodiff.jvp(lambda x: (x + 1, x + 2), (np.zeros(3),), (direction,))
    assert not np.shares_memory(one, other)


B = np.array([[1.0, -2.5, 3.0], [-0.3, 0.4, 2.0]])


def agree(fun, *args, derivative=True, unknown=True):
    """The values of NumPy in every mode, and derivatives like differences of them."""
    expected = fun(*args)
    found = [autodiff.vjp(fun, *args)[0], autodiff.jvp(fun, args, args)[0]]
    found += [jit(fun)(*args)] if unknown else []
    for ours in found:
        assert type(ours) is type(expected) or not isinstance(expected, (tuple, list))
        for one, other in zip(flatten(ours), flatten(expected), strict=True):
            assert np.shape(one) == np.shape(other)
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=1e-9)
    if derivative:
        autodiff.testing.check_laws(lambda *args: flatten(fun(*args))[0], args, only=("reverse", "forward"))


def flatten(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin"])
def test_no_initial_value(name):
    agree(lambda x: getattr(np, name)(x, axis=1, initial=None), B)
    if not name.startswith("nan"):
        agree(lambda x: getattr(x, name)(initial=None), B)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"axis": None}, {"axis": (0, 1), "keepdims": True}, {"axis": ()}, {"axis": 1, "initial": 2.0},
        {"axis": None, "initial": 2}, {"where": B > 0}, {"axis": 1, "where": B > 9}, {"initial": None},
    ],
)  # fmt: skip
@pytest.mark.parametrize("ufunc", [np.hypot, np.logaddexp2], ids=lambda ufunc: ufunc.__name__)
def test_reductions_that_start_from_an_identity(ufunc, options):
    agree(lambda x: ufunc.reduce(x, **options), B, derivative="where" not in options)


def test_reductions_of_one_element_and_of_none():
    agree(lambda x: np.hypot.reduce(x[:1]), B)  # the absolute values
    agree(lambda x: np.hypot.reduce(x[:0]), B, derivative=False)
    agree(lambda x: np.hypot.reduceat(x, [0, 1]), B)
    agree(lambda x: np.subtract.reduce(x, axis=1, initial=1.5), B)
    agree(lambda x: np.logical_and.reduce(x, axis=1, initial=0), B, derivative=False)
    agree(lambda x: np.add.reduceat(x, [0, 1], dtype=bool), B, derivative=False)


def test_ranges_are_lists_of_numbers():
    x = np.array([1.5, 0.3, 2.0])
    agree(lambda x: x * range(3) + np.arctan2(range(3), x), x)
    agree(lambda x: np.interp(x, range(3), range(0, 6, 2)) * np.dot(range(3), x), x)
    agree(lambda x: np.average(x, weights=range(3)) + x.dot(range(3)), x)


def test_orders_that_are_none():
    def orders(x):
        flat = x.ravel(None) + x.flatten(None) + np.ravel(x, order=None) + x.copy(None).ravel()
        return flat + x.reshape(-1, order=None) + np.copy(x, order=None).ravel() + x.astype(None).ravel()

    agree(orders, B)
    assert autodiff.vjp(lambda x: x.copy(None), np.asfortranarray(B))[0].flags.c_contiguous


def test_ways_to_sort():
    for kind in ("q", "Heap", "s", "mergesort", None):
        agree(lambda x, kind=kind: np.sort(x, kind=kind) + x.argsort(kind=kind), B)
    for function in (np.sort, np.argsort):
        with pytest.raises(ValueError, match="kind must be one of"):
            autodiff.vjp(lambda x, function=function: function(x, kind="bad"), B)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_put_outside_of_the_array(mode):
    def written(x, values):
        x = x * 1.0
        np.put(x, [-9, 22, 1], values, mode=mode)
        return x

    agree(written, B, np.array([7.0, 8.0, 9.0]))


def test_defaults_written_out():
    agree(lambda x: np.clip(x, 0, 1, where=True, casting="same_kind", order="K", subok=True), B)
    agree(lambda x: x.clip(0, 1, where=True, casting="same_kind"), B)
    agree(lambda x: np.roll(x, (1, 2)) + np.roll(x, [1]), B)
    agree(lambda x: np.cumulative_sum(x[0, 0]) + np.cumulative_prod(x[0, 0]), B)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_statistics_of_nothing():
    agree(lambda x: np.nanmedian(x[:0]) + np.nanquantile(x[:0], [0.1, 0.2]), B, derivative=False)
    agree(lambda x: np.cov(x[:0]) + np.corrcoef(x[:0]), B, derivative=False)


def test_poly_of_matrices_and_of_complex_roots():
    agree(np.poly, np.array([[2, 1.0, 0], [0.3, 1, 0.5], [0, 0.2, 0.7]]))
    agree(np.poly, np.array([[0, 1.0], [-1, 0.5]]))  # with complex eigenvalues
    agree(np.poly, np.array([1j, -1j, 2]), derivative=False, unknown=False)
    agree(np.poly, np.array([1j, 2j]), unknown=False)
    agree(np.poly, np.array([1.0, 2.0], np.float16), derivative=False)
    with pytest.raises(ConcretizationError, match=r"np\.poly"):
        jit(np.poly)(np.array([1j, -1j]))


@pytest.mark.parametrize(
    "options", [{"full": True}, {"cov": True}, {"cov": "unscaled"}, {"cov": True, "w": [1, 2, 3, 4, 5, 6]}]
)
@pytest.mark.parametrize("columns", [None, 1, 2])
def test_polyfit_says_how_well_it_fits(options, columns):
    x, y = np.arange(6.0), np.array([1, 0.2, 3, 2, 5, 4])
    y = y if columns is None else np.stack([y, y[::-1]], axis=1)[:, :columns]
    agree(lambda x, y: np.polyfit(x, y, 2, **options), x, y)
    if "cov" in options:
        autodiff.testing.check_laws(lambda x, y: np.polyfit(x, y, 2, **options)[1], (x, y), only=("reverse", "forward"))


def test_polyfit_of_too_few_points():
    with pytest.raises(ValueError, match="must exceed order"):
        autodiff.vjp(lambda y: np.polyfit(np.arange(3.0), y, 2, cov=True)[1], np.ones(3))


def test_flat_is_an_iterator():
    def some(x):
        flat = x.flat
        next(flat), next(flat), next(flat), next(flat)
        return x[flat.coords] * flat.index + next(flat)

    agree(some, B)
    with pytest.raises(StopIteration):
        autodiff.vjp(lambda x: next(x[:0].flat), B)


def test_casting_of_the_same_value():
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("since NumPy 2.4")
    agree(lambda x: x.astype(np.float32, casting="same_value"), np.round(4 * B), derivative=False, unknown=False)
    with pytest.raises(ValueError, match="same"):
        autodiff.vjp(lambda x: x.astype(np.float32, casting="same_value"), B / 3)


def test_lists_of_traced_values_where_numpy_asks_nobody():
    stand_in = autodiff.numpy
    for name in ("real", "imag", "argsort", "isposinf", "isneginf"):
        function = getattr(np, name)
        ours, _ = autodiff.vjp(lambda x, name=name: getattr(stand_in, name)([x, 2.0]) * 1.0, 3.0)
        np.testing.assert_array_equal(ours, function([3.0, 2.0]))
    assert autodiff.grad(lambda x: stand_in.take([2.0, x], [1])[0])(3.0) == 1.0


def test_functions_that_call_others():
    stand_in = autodiff.numpy
    rows = np.arange(6.0).reshape(2, 3)

    def along(w):
        return np.sum(stand_in.apply_along_axis(lambda row: row * w, 1, rows))

    def pieces(w):
        return np.sum(stand_in.piecewise(rows, [rows > 2], [lambda part: part * w, 7]))

    for transform in (autodiff.grad, lambda fun: jit(autodiff.grad(fun))):
        assert transform(along)(2.0) == 15.0
        assert transform(pieces)(2.0) == 12.0


def test_numbers_are_scalars():
    @autodiff.differentiable
    def shape_of(x):
        return np.array([x * 1.0]) if np.isscalar(x) else x * 1.0

    for x in (1.5, np.float64(1.5), np.array(1.5), np.ones(2)):
        assert np.shape(autodiff.vjp(shape_of, x)[0]) == ((1,) if np.isscalar(x) else np.shape(x))
        assert np.shape(jit(shape_of)(x)) == ((1,) if np.isscalar(x) else np.shape(x))


def test_places_to_split_at_are_whole_numbers():
    for function in (np.split, np.array_split, np.vsplit):
        with pytest.raises(TypeError, match="integer"):
            autodiff.vjp(lambda x, function=function: function(x, np.array([1.0]))[0], B)


OUTS = {
    "sum": lambda x, out: np.sum(x, axis=0, out=out),
    "add.reduce": lambda x, out: np.add.reduce(x, axis=0, out=out),
    "prod": lambda x, out: np.prod(x, axis=0, out=out),
    "max": lambda x, out: np.max(x, axis=0, out=out),
    "nanmin": lambda x, out: np.nanmin(x, axis=0, out=out),
    "mean": lambda x, out: np.mean(x, axis=0, out=out),
    "var": lambda x, out: np.var(x, axis=0, out=out),
    "nanstd": lambda x, out: np.nanstd(x, axis=0, out=out),
    "ptp": lambda x, out: np.ptp(x, axis=0, out=out),
    "cumsum": lambda x, out: np.cumsum(x[0], out=out),
    "trace": lambda x, out: np.trace(np.stack([x, x]), out=out),
    "dot": lambda x, out: np.dot(x[0, :3], x, out=out),
    "einsum": lambda x, out: np.einsum("ij,ij->j", x, x, out=out),
    "outer": lambda x, out: np.outer(x[0], x[:, 0], out=out),
    "concatenate": lambda x, out: np.concatenate([x[0, :2], x[1, 2:]], out=out),
    "stack": lambda x, out: np.stack([x[0, 0], x[1, 0], x[2, 0], x[0, 1]], out=out),
    "take": lambda x, out: np.take(x, 1, axis=0, out=out),
    "compress": lambda x, out: np.compress([False, True], x[:, 0], out=out),
    "choose": lambda x, out: np.choose([0, 1, 1, 0], [x[0], x[1]], out=out),
    "clip": lambda x, out: np.clip(x[0], 1, 2, out=out),
    "exp": lambda x, out: np.exp(x[0], out=out),
    "add": lambda x, out: np.add(x[0], x[1], out=out),
}


@pytest.mark.parametrize("shape", [(4,), (1, 4), (4, 3), (2, 1, 4), (4, 1), (1,), ()])
@pytest.mark.parametrize("name", OUTS)
def test_shapes_of_out_that_numpy_takes(name, shape):
    def program(x):
        return OUTS[name](x, np.zeros_like(np.broadcast_to(x[0, 0], shape)))

    try:
        theirs = None if name == "cumsum" and shape == () else program(A)  # NumPy 2.4 crashes there
    except (ValueError, TypeError):
        theirs = None
    for mode in (lambda x: autodiff.vjp(program, x)[0], lambda x: autodiff.jvp(program, (x,), (x,))[0], jit(program)):
        if theirs is None:
            with pytest.raises(ValueError, match=r"must agree|non-broadcastable"):
                mode(A)
        else:
            np.testing.assert_allclose(mode(A), theirs)


@pytest.mark.parametrize("function", [np.modf, np.frexp, np.divmod])
def test_one_of_two_outs(function):
    def program(x):
        operands = (x, 2.0) if function is np.divmod else (x,)
        return function(*operands, out=(np.zeros_like(x), None))

    x = np.array([1.5, 2.25])
    for mode in (jit(program), lambda x: autodiff.vjp(program, x)[0]):
        for ours, theirs in zip(mode(x), program(x), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("array", [np.array([1, 5, 9]), np.array([1.0, 5.0, 9.0])])
@pytest.mark.parametrize("bounds", [lambda x: (x, 6), lambda x: (2, x), lambda x: (x, None), lambda x: (None, x)])
def test_traced_bounds_of_a_plain_array(array, bounds):
    def program(x):
        return array.clip(*bounds(x))

    x = np.array([3.0, 4.0, 4.5])
    for mode in (jit(program), lambda x: autodiff.vjp(program, x)[0], lambda x: autodiff.vmap(program)(x[None])[0]):
        np.testing.assert_array_equal(mode(x), program(x))
    autodiff.testing.check_grads(program, (x,))


@pytest.mark.parametrize("b", [2, 2.0, np.float64(2), [2, 3], True])
def test_closeness_in_the_dtype_of_the_array(b):
    x = np.float32([1.0, 2.0])
    for rtol in (0.4999999999999999, [0.5, 1e-3]):

        def program(x, rtol=rtol):
            return np.isclose(x, b, atol=0, rtol=rtol)

        for mode in (jit(program), lambda x, program=program: autodiff.vjp(program, x)[0]):
            np.testing.assert_array_equal(mode(x), program(x))


NAN_POINTS = [[np.nan, 1.0], [1.0, np.nan], [np.nan, 1.0, 3.0], [1.0, np.inf], [-np.inf, 1.0], [np.nan], [2.0]]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("xp", NAN_POINTS)
def test_points_that_are_no_numbers(xp):
    fp = np.arange(2.0, 2.0 + len(xp))
    x = np.array([0.0, 0.5, 1.0, 2.0, 5.0, np.nan])

    def program(x):
        return np.interp(x, xp, fp)

    for mode in (jit(program), lambda x: autodiff.vjp(program, x)[0]):
        np.testing.assert_array_equal(mode(x), program(x))


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_table_for_each_example_has_nan_last(side):
    tables = np.array([[0.0, 1.0, np.nan], [0.0, 2.0, 3.0], [np.nan, np.nan, np.nan]])
    x = np.array([np.nan, 0.5, 1.0, 3.0])
    ours = autodiff.vmap(lambda table: np.searchsorted(table, x, side=side))(tables)
    np.testing.assert_array_equal(ours, [np.searchsorted(table, x, side=side) for table in tables])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 3)])
def test_ranks_of_empty_matrices(shape):
    a = np.zeros(shape)
    np.testing.assert_array_equal(jit(np.linalg.matrix_rank)(a), np.linalg.matrix_rank(a))


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_elements_of_long_types(dtype):
    x = np.array([1.5], dtype)
    assert jit(lambda x: x.item() * 2)(x) == 3
    assert jit(lambda x: x.tolist()[0] * 2)(x) == 3
    assert autodiff.vmap(lambda x: x.item() * 2)(x[None]) == [3]


def test_conjugate_writes_into_out():
    z = np.array([1 + 2j, 3 - 1j])
    np.testing.assert_array_equal(jit(lambda z: z.conjugate(np.zeros_like(z)))(z), z.conjugate())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"range": (2, 1)}, r"histogram got range=\(2, 1\)"),
        ({"range": (0, np.nan)}, "histogram needs finite limits, got range= from 0 to nan"),
        ({"bins": 0}, "histogram needs one bin at least, got bins=0"),
        ({"bins": [3, 2, 1]}, "histogram needs edges that increase"),
    ],
)
def test_histograms_that_are_refused(options, message):
    x = np.array([1.0, 2.0])
    for mode in (jit, lambda f: lambda x: autodiff.vjp(f, x)[0]):
        with pytest.raises(ValueError, match=message):
            mode(lambda x: np.histogram(x, **options))(x)
