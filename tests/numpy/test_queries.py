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
