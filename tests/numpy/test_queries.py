"""Questions about arrays: answered without derivative, and from shapes alone where these decide."""

import numpy as np
import pytest

import autodiff

QUERIES = {
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "size along an axis": lambda x: np.size(x, -1),
    "result_type": lambda x: np.result_type(x, np.float32, 1),
    "can_cast": lambda x: np.can_cast(np.result_type(x), np.float32, "same_kind"),
    "common_type": lambda x: np.common_type(x, np.ones(2, int)),
    "min_scalar_type": np.min_scalar_type,
    "iscomplexobj": np.iscomplexobj,
    "isrealobj": np.isrealobj,
    "diag_indices_from": np.diag_indices_from,
    "tril_indices_from": lambda x: np.tril_indices_from(x, -1),
    "triu_indices_from": lambda x: np.triu_indices_from(x, 1),
}


def same(a, b):
    return all(map(np.array_equal, a, b)) if isinstance(a, tuple) and isinstance(a[0], np.ndarray) else a == b


@pytest.mark.parametrize("name", QUERIES)
def test_answers_are_those_of_numpy(name):
    query, found = QUERIES[name], []

    def fun(x):
        found.append(query(x))
        return np.sum(x)

    x = np.ones((3, 3), np.float32)
    autodiff.grad(fun)(x)
    autodiff.jvp(fun, (x,), (x,))
    autodiff.eval_shape(fun, x)
    assert len(found) == 3
    for answer in found:
        assert same(answer, query(x))
        assert type(answer) is type(query(x))


def test_python_numbers_stay_weak():
    found = []
    autodiff.grad(lambda x: found.append(np.result_type(x, np.float32)) or x)(2.0)
    assert found == [np.float32]


@pytest.mark.parametrize("ask", [np.may_share_memory, np.shares_memory])
def test_memory(ask):
    x = np.ones(3)
    answers = []
    autodiff.vjp(lambda x: answers.append((ask(x, x), ask(x, np.ones(3)))) or x, x)
    assert answers == [(True, False)]


def test_the_least_type_of_a_number_needs_the_number():
    with pytest.raises(RuntimeError) as caught:
        autodiff.eval_shape(np.min_scalar_type, np.float64(1.0))
    assert str(caught.value).startswith("np.min_scalar_type depends on the value of a traced float64[]")
    assert str(caught.value).endswith("of which only the dtype is known; use its dtype")


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("others", [[2, 5], [], [[1.0, np.nan], [4.0, 2.0]]], ids=str)
def test_elements_among_others_where_only_shapes_are_known(others, invert):
    x = np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 5.5]])
    found = autodiff.jit(lambda x: np.isin(x, np.array(others), invert=invert))(x)
    assert np.asarray(found).tolist() == np.isin(x, np.array(others), invert=invert).tolist()


@pytest.mark.parametrize(
    "options", [{}, {"tol": 0.6}, {"rtol": 0.3}, {"hermitian": True}, {"tol": np.array([0.6, 9.0])}], ids=str
)
def test_ranks_where_only_shapes_are_known(options):
    x = np.array([np.diag([2.0, 0.5, 0.0]), np.eye(3)])
    tape = autodiff.make_tape(lambda x: np.linalg.matrix_rank(x, **options))(x)
    assert autodiff.eval_tape(tape, x).tolist() == np.linalg.matrix_rank(x, **options).tolist()
    assert autodiff.eval_tape(autodiff.make_tape(np.linalg.matrix_rank)(x[0, 0]), x[0, 0]) == 1
    with pytest.raises(ValueError, match="can't be both set"):
        autodiff.make_tape(lambda x: np.linalg.matrix_rank(x, 0.1, rtol=0.1))(x)


@pytest.mark.parametrize("other", [None, "text", b"bytes"])
@pytest.mark.parametrize("shape", [(3,), (2, 1), (0,), ()])
def test_comparison_with_what_is_no_number(other, shape):
    """Elementwise for arrays, as in NumPy: a program that asks ``x == None`` cannot take it for a truth value."""
    x = np.ones(shape)[()]
    expected = (x == other, x != other, other == x, x is None)
    found = []

    def asking(x):
        found.append((x == other, x != other, other == x, x is None))
        return np.sum(x)

    for call in (autodiff.grad(asking), autodiff.jit(autodiff.grad(asking), backend="numpy")):
        call(x)
        for own, its in zip(found.pop(), expected, strict=True):
            np.testing.assert_array_equal(own, its)
            assert np.shape(own) == np.shape(its)
    if len(shape) == 1 and shape[0] > 1:
        with pytest.raises(ValueError, match="truth value of an array with more than one element is ambiguous"):
            autodiff.grad(lambda x: np.sum(x) if x == other else 0.0)(x)
