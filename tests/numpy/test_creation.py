"""New arrays, ranges and grids: NumPy's functions, by all laws."""

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, check_case, check_laws, domains
from autodiff.trace.tracer import Tracer

ANY = [(), (3,), (2, 3), (0, 2)]
ENDS = [((), ()), ((3,), (3,)), ((2, 1), (3,)), ((0,), ())]

ROWS = {
    "zeros_like": (lambda x: (np.zeros_like(x), np.sum(x)), ANY),
    "ones_like": (lambda x: np.ones_like(x) * x, ANY),
    "full_like": (lambda x: np.full_like(x, np.sum(x)), ANY),
    "full_like, another shape": (lambda x: np.full_like(x, x[..., 0], shape=(4, 2)), [(2, 3), (3,)]),
    "full_like, another dtype": (lambda x: np.full_like(x, 2.5 * np.sum(x), dtype=complex), ANY),
    "like zeros": (lambda x: np.zeros(3, like=x) + x, [(3,), (2, 3)]),
    "like ones": (lambda x: np.ones((2, 1), like=x) * x, [(3,), (2, 3)]),
    "like full": (lambda x: np.full((2, 3), x[0], like=x), [(3,), (1, 3)]),
    "like eye": (lambda x: np.eye(3, k=1, like=x) @ x, [(3,)]),
    "like arange": (lambda x: np.arange(1, 4, like=x) * x, [(3,)]),
    "like array": (lambda x: np.array([[x[0], 1.0], [x[0] * x[1], 2.0]], like=x), [(2,)]),
    "like array, more axes": (lambda x: np.array(x, ndmin=3, like=x), [(2,)]),
    "like asarray": (lambda x: np.asarray([x, 2 * x], dtype=complex, like=x), [(2,)]),
    "meshgrid": (lambda x: np.meshgrid(x, 2 * x[:2]), [(3,), (2,)]),
    "meshgrid by rows": (lambda x: np.meshgrid(x, 2.0, x[1:], indexing="ij"), [(3,)]),
    "meshgrid, sparse": (lambda x: np.meshgrid(x, x, sparse=True, copy=False), [(3,)]),
    "vander": (lambda x: np.vander(x, 4), [(3,), (1,)]),
    "vander, increasing": (lambda x: np.vander(x, increasing=True), [(3,)]),
    "vander without columns": (lambda x: (np.vander(x, 0), x), [(3,)]),
    "ix_": (lambda x: x[np.ix_([1, 0], np.array([True, False, True]))], [(2, 3)]),
}  # fmt: skip

SPACED = {
    "linspace": (lambda x, y: np.linspace(x, y, 7), ENDS, domains.real),
    "linspace, last axis": (lambda x, y: np.linspace(x, y, 3, axis=-1), ENDS, domains.real),
    "linspace, open": (lambda x, y: np.linspace(x, y, 4, endpoint=False, retstep=True), ENDS, domains.real),
    "linspace of one": (lambda x, y: np.linspace(x, y, 1), ENDS, domains.real),
    "linspace of none": (lambda x, y: (np.linspace(x, y, 0), x + y), ENDS, domains.real),
    "linspace in a dtype": (lambda x, y: np.linspace(x, y, 3, dtype=complex), ENDS, domains.real),
    "logspace": (lambda x, y: np.logspace(x, y, 4), ENDS[:3], domains.unit),
    "logspace of a base": (lambda x, y: np.logspace(x, y, 4, base=np.array([2.0, 3.0])), ENDS[:1], domains.unit),
    "logspace in a dtype": (lambda x, y: np.logspace(x, y, 4, dtype=complex), ENDS[:3], domains.unit),
    "geomspace": (lambda x, y: np.geomspace(x, y, 5), ENDS[:3], domains.positive),
    "geomspace, open": (lambda x, y: np.geomspace(x, y, 5, endpoint=False, axis=-1), ENDS[:3], domains.negative),
}  # fmt: skip

CASES = [
    *(Case(name, fun, shapes=shapes, scalars=False) for name, (fun, shapes) in ROWS.items()),
    *(Case(name, fun, domain, arity=2, shapes=shapes) for name, (fun, shapes, domain) in SPACED.items()),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case, max_examples=3)


def test_a_traced_base():
    check_laws(lambda b: np.logspace(0.0, np.array([1.0, 2.0]), 3, base=b), (np.array([2.0, 3.0]),))


def test_integers_between_traced_ends_are_not_traced():
    value = autodiff.vjp(lambda x: np.linspace(x, 7.5, 4, dtype=int), np.float64(0.5))[0]
    assert value.dtype == np.dtype(int)
    assert np.array_equal(value, np.linspace(0.5, 7.5, 4, dtype=int))


@pytest.mark.parametrize(
    "create",
    [
        lambda x: np.zeros(3, like=x),
        lambda x: np.zeros_like(x),
        lambda x: np.empty_like(x),
        lambda x: np.empty(3, like=x),
        lambda x: np.ones_like(x),
        lambda x: np.full(3, 2.0, like=x),
        lambda x: np.arange(3.0, like=x),
    ],
)
def test_traced_values_can_be_assigned(create):
    def fun(x):
        y = create(x)
        assert isinstance(y, Tracer)
        y[:] = 0.0
        y[0] = x[1] * x[2]
        y[1:] += x[:2] ** 2
        return np.sum(y)

    x = np.array([1.0, 2.0, 3.0])
    assert autodiff.grad(fun)(x).tolist() == [2.0, 7.0, 2.0]
    assert autodiff.jvp(fun, (x,), (np.array([0.0, 1.0, 0.0]),))[1] == 7.0
    assert autodiff.vmap(autodiff.grad(fun))(np.stack([x, x])).tolist() == [[2.0, 7.0, 2.0]] * 2


def test_other_dtypes_are_plain():
    def fun(x):
        counts = np.zeros_like(x, dtype=int)
        assert isinstance(counts, np.ndarray)
        counts[0] = 3
        return np.sum(counts * x)

    assert autodiff.grad(fun)(np.ones(2)).tolist() == [3.0, 0.0]


def test_layout_follows_the_prototype():
    x = np.asfortranarray(np.ones((2, 3)))
    assert autodiff.vjp(np.zeros_like, x)[0].flags.f_contiguous


def test_steps_have_derivatives_and_their_number_has_none():
    def total(start, stop, step):
        return np.sum(np.arange(start, stop, step, like=start) ** 2)

    start, stop, step = (np.float64(v) for v in (0.5, 3.1, 0.4))
    numbers = np.arange(start, stop, step)
    found = autodiff.grad(total, (0, 1, 2))(start, stop, step)
    np.testing.assert_allclose(found, [2 * numbers.sum(), 0, 2 * numbers @ np.arange(len(numbers))], rtol=1e-13)
    np.testing.assert_array_equal(autodiff.jvp(lambda s: np.arange(s, 3.1, 0.4, like=s), (start,), (step,))[0], numbers)


def test_the_number_of_elements_must_be_known():
    with pytest.raises(TypeError) as caught:
        autodiff.jit(lambda x: np.sum(np.arange(0.0, x, like=x)))(3.0 * np.ones(())[()])
    entries = [entry for entry in caught.traceback if entry.path.name == "test_creation.py"]
    assert str(caught.value) == (
        "np.arange cannot be called with numbers of which only the dtype is known "
        f"(test_creation.py:{entries[-1].lineno + 1}): how many elements there are depends on them. Use np.linspace, or "
        "start + step * np.arange(n)"
    )


def test_arguments_are_checked():
    with pytest.raises(ValueError, match=r"^Number of samples, -1, must be non-negative\.$"):
        autodiff.vjp(lambda x: np.linspace(x, 1.0, -1), 0.0 * np.ones(()))
    with pytest.raises(ValueError, match=r"^Geometric sequence cannot include zero$"):
        autodiff.vjp(lambda x: np.geomspace(x, 1.0), 0.0 * np.ones(()))
