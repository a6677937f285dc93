"""Einstein sums as products of matrices."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.passes.rewrite.contractions import CONTRACTIONS
from autodiff.trace.tape import check_tape
from tests.backends.passes.alone import alone
from tests.backends.passes.tapes import names, run

use_matmul = alone(CONTRACTIONS)

SIZES = dict(zip("abcdefgh", (2, 3, 4, 5, 6, 2, 3, 1), strict=True))
MATMUL = [
    "ab,bc->ac", "ab,bc->ca", "ba,bc->ac", "ab,cb->ac", "abc,acd->abd", "abc,adc->abd", "abcd,abed->abce", "abcd,abec->abed",
    "abc,bcd->ad", "abc,bcd->da", "acb,bd->adc", "ab,b->a", "b,ba->a", "abc,ac->ab", "abcd,cdef->abef", "abcd,efcd->faeb", "abh,bc->ahc",
]  # fmt: skip
OTHERS = ["ab,ab->ab", "a,b->ab", "ab,ab->a", "ab,ab->", "ab,c->c", "ab,bc,cd->ad"]


def arrays(subscripts):
    random = np.random.default_rng(0)
    return [random.normal(size=[SIZES[k] for k in term]) for term in subscripts.split("->")[0].split(",")]


@pytest.mark.parametrize("subscripts", MATMUL)
def test_sums_over_common_letters_are_products_of_matrices(subscripts):
    xs = arrays(subscripts)
    after = use_matmul(make_tape(lambda *xs: np.einsum(subscripts, *xs))(*xs))
    check_tape(after)
    assert "einsum" not in names(after)
    assert names(after).count("matmul") == 1
    np.testing.assert_allclose(run(after, tuple(xs))[0], np.einsum(subscripts, *xs), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("subscripts", OTHERS)
def test_other_sums_stay(subscripts):
    tape = make_tape(lambda *xs: np.einsum(subscripts, *xs))(*arrays(subscripts))
    assert use_matmul(tape) is tape


PAIRS = ["ni,ij,nj->n", "n,ij,nj->ni", "ij,jk,kl->il", "ij,jk,kl,ln->in", "nab,bc,ndc,e->nade", "ij,kj,kl->"]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("subscripts", PAIRS)
def test_large_sums_of_several_operands_go_by_pairs(subscripts, dtype):
    random = np.random.default_rng(0)
    lengths = dict(zip("nijklabcde", (40, 20, 21, 22, 23, 5, 6, 7, 8, 9), strict=True))
    xs = [random.normal(size=[lengths[k] for k in term]).astype(dtype) for term in subscripts.split("->")[0].split(",")]
    after = use_matmul(make_tape(lambda *xs: np.einsum(subscripts, *xs))(*xs))
    check_tape(after)
    assert [e for e in after.equations if e.primitive.name == "einsum" and len(e.operands) > 2] == []
    np.testing.assert_allclose(run(after, tuple(xs))[0], np.einsum(subscripts, *xs), rtol=1e-11, atol=1e-11)


def test_axes_of_length_one_that_broadcast_stay():
    x, y = np.ones((2, 1)), np.ones((3, 4))
    tape = make_tape(lambda x, y: np.einsum("ab,bc->ac", x, y))(x, y)
    assert use_matmul(tape) is tape


def test_the_result_needs_no_transposition_where_one_order_has_none():
    subscripts = "ac,bc->ba"
    after = use_matmul(make_tape(lambda *xs: np.einsum(subscripts, *xs))(*arrays(subscripts)))
    assert names(after) == ["transpose", "matmul"]


@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize(
    "shapes", [((5, 4), (4, 3)), ((2, 5, 4), (2, 4, 3)), ((5, 4), (2, 4, 3)), ((2, 1, 5, 4), (3, 4, 3))]
)
def test_a_sum_of_a_product_is_a_product_of_a_sum(shapes, axis):
    random = np.random.default_rng(0)
    x, y = (random.normal(size=shape) for shape in shapes)
    after = use_matmul(make_tape(lambda x, y: np.sum(np.matmul(x, y), axis))(x, y))
    check_tape(after)
    (product,) = (e for e in after.equations if e.primitive.name == "matmul")
    assert product.specs[0].shape[axis] == 1
    np.testing.assert_allclose(run(after, (x, y))[0], np.sum(np.matmul(x, y), axis), rtol=1e-12, atol=1e-13)


def test_a_sum_of_a_product_that_is_needed_itself_stays():
    x, y = np.ones((5, 4)), np.ones((4, 3))
    tape = make_tape(lambda x, y: (np.sum(product := np.matmul(x, y), -1), product))(x, y)
    assert use_matmul(tape) is tape
    tape = make_tape(lambda x, y: np.sum(np.matmul(x, y), (-1, -2)))(x, y)
    assert use_matmul(tape) is tape
