"""Einstein sums in all notations keep all laws."""

import numpy as np
import pytest

from autodiff import grad, make_tape, vmap
from autodiff.testing import Case, check_case, check_laws
from autodiff.testing.draws.domains import real
from autodiff.trace.errors import OperandError
from tests.ops.matrices import ALL, draw

# fmt: off
SUMS = [
    ("ij,jk->ik",            (2, 3), (3, 2)),
    ("ij, kj -> ik",         (2, 3), (2, 3)),
    ("ij,kj->ik",            (1, 1), (2, 2)),
    ("ij,jk->ik",            (2, 1), (3, 2)),
    ("ij,jk,kl->il",         (2, 1), (3, 1), (2, 2)),
    ("ij,ij",                (2, 3), (2, 3)),
    ("ij,jk",                (2, 3), (3, 2)),
    ("ij,kj->",              (2, 3), (2, 3)),
    ("i,j",                  (2,), (3,)),
    (",i",                   (), (2,)),
    ("ij,ij->ij",            (1, 3), (2, 3)),
    ("...ij,...jk->...ik",   (2, 2, 3), (3, 2)),
    ("...,...",              (2, 3), (3,)),
    ("i...,j...->...ij",     (2, 3), (2, 2, 3)),
    ("i,ij,j",               (2,), (2, 3), (3,)),
    ("ijkl,j,kk->il",        (2, 3, 2, 2), (3,), (2, 2)),
    ("iji,j->ji",            (2, 3, 2), (3,)),
    ("iij->j",               (3, 3, 2)),
    ("ii",                   (3, 3)),
    ("ii->i",                (3, 3)),
    ("ij->",                 (2, 3)),
    ("ij->j",                (2, 3)),
    ("ij->ji",               (2, 3)),
    ("...i->...",            (2, 3)),
    ("i...->...",            (2, 3)),
    ("ab,bc,cd,de->ae",      (2, 3), (3, 2), (2, 2), (2, 3)),
]
# fmt: on


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(("subscripts", "shapes"), [(row[0], row[1:]) for row in SUMS])
def test_sums_keep_all_laws(subscripts, shapes, dtype):
    arrays = tuple(draw(f"{subscripts}{k}", shape, dtype) for k, shape in enumerate(shapes))
    check_laws(lambda *xs: np.einsum(subscripts, *xs), arrays, name=subscripts)


SHAPES = [((2, 3), (3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((1, 3), (3, 1))]


def test_layouts_and_empty_arrays():
    product = Case("einsum", lambda x, y: np.einsum("ij,jk->ik", x, y), (real, real), shapes=SHAPES, zero_dim=False)
    check_case(product, max_examples=8)


@pytest.mark.parametrize("optimize", [True, "optimal", ["einsum_path", (0, 1), (0, 1)]])
def test_paths(optimize):
    arrays = tuple(draw(f"path{k}", shape, "float64") for k, shape in enumerate([(2, 3), (3, 2), (2, 2)]))
    check_laws(lambda *xs: np.einsum("ij,jk,kl->il", *xs, optimize=optimize), arrays)


def test_axes_by_number():
    arrays = (draw("a", (2, 3), "float64"), draw("b", (3, 2), "float64"))
    check_laws(lambda a, b: np.einsum(a, [0, 1], b, [1, 2], [2, 0]), arrays)
    check_laws(lambda a, b: np.einsum(a, [..., 0], b, [0, 1]), arrays)


def test_large_products_are_contracted_by_blas_backwards():
    x = draw("large", (40, 40), "float64")
    g = grad(lambda a: np.sum(np.einsum("ij,jk->ik", a, x) * x))(x)
    np.testing.assert_allclose(g, x @ x.T, rtol=1e-12)


def test_one_operand_is_not_kept():
    tape = make_tape(lambda x: np.einsum("ab->a", x))(np.ones((2, 3)))
    (equation,) = tape.equations
    assert equation.primitive.name == "sum_labels"
    assert equation.primitive.link((0,)).kept == ()


def test_batches_of_batches():
    a, b = draw("a", (2, 3, 4, 5), "float64"), draw("b", (3, 5), "float64")
    found = vmap(vmap(lambda x, y: np.einsum("ij,j->i", x, y)), in_axes=(0, None))(a, b)
    np.testing.assert_allclose(found, np.einsum("abij,bj->abi", a, b), rtol=1e-13)


def test_dtype_and_out():
    x = draw("x", (2, 2), "float32")
    assert grad(lambda a: np.sum(np.einsum("ij,jk", a, a, dtype=np.float64)))(x).dtype == np.float32

    def into(a):
        out = np.zeros_like(a)
        np.einsum("ij,jk->ik", a, a, out=out)
        return np.sum(out)

    np.testing.assert_allclose(grad(into)(x), grad(lambda a: np.sum(a @ a))(x), rtol=1e-6)


def test_path_is_a_constant():
    assert grad(lambda a: np.sum(a) * len(np.einsum_path("ij,jk", a, a)[0]))(np.ones((2, 2))).tolist() == [
        [2, 2],
        [2, 2],
    ]


def line_of(function):
    return f"test_einsum.py:{function.__code__.co_firstlineno + 1}"


def test_errors_name_the_subscripts():
    def too_many(a):
        return np.einsum("ijk", a)

    def repeated(a):
        return np.einsum("ij->ii", a)

    def missing(a):
        return np.einsum("ij,jk", a)

    def uneven(a):
        return np.einsum("ii", a)

    texts = {
        too_many: "einsum('ijk') has the term 'ijk' for an operand of 2 axes ({line}); give one label for each axis",
        repeated: "einsum('ij->ii') has the label 'i' in its result ({line}); it must be there once, and in an operand",
        missing: "einsum('ij,jk') has 2 terms and 1 operands ({line}); give as many",
        uneven: "einsum takes the diagonal of axes of lengths 2 and 3 ({line}), both labelled 'i'; they must be equal",
    }
    for function, text in texts.items():
        with pytest.raises(OperandError) as caught:
            grad(function)(np.ones((2, 3)))
        assert str(caught.value) == text.format(line=line_of(function))
