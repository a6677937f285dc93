"""Stacks of products with what their operands are made of and with sums: what kernels compute, and of what."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff
from autodiff import make_tape
from autodiff.backends.kernels.products.stack_plan import blocks, stack_plan
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.passes.fusion.products import fuse_products
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.backends.passes.schedule import BEFORE_FUSION
from autodiff.backends.straight import Straight
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)
STACKS, LENGTHS, WIDTHS = st.integers(2, 5), st.integers(2, 150), st.integers(1, 20)
DTYPES = st.sampled_from([np.float32, np.float64])


@pytest.fixture
def every_size(monkeypatch):
    """Kernels for stacks of little work too, in small blocks."""
    monkeypatch.setattr("autodiff.backends.kernels.products.stacks.WORK", 0)
    monkeypatch.setattr("autodiff.backends.kernels.products.stack_plan.LEAST", 8)
    monkeypatch.setattr("autodiff.backends.kernels.products.stack_plan.MOST", {"rows": 32, "terms": 32})


def tape_of(fun, *args):
    """The tape of a function with its stacks of products as kernels."""
    simple = simplify(rewrite(simplify(make_tape(fun)(*args)), BEFORE_FUSION, merge=True), stable=False)
    return fuse_products(simple)


def inside(tape):
    """What each kernel of products does."""
    kernels = [e for e in tape.equations if e.primitive.name == "kernel_of_products"]
    return [names(dict(e.params)["tape"]) for e in kernels]


def plan_of(tape):
    (kernel,) = (e for e in tape.equations if e.primitive.name == "kernel_of_products")
    return stack_plan(dict(kernel.params)["tape"])


def drawn(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


def check(fun, *args):
    """Compare a program of kernels with the function itself."""
    tape = tape_of(fun, *args)
    found, wanted = Straight(fuse(tape)).run(*args), fun(*args)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for one, other in zip(found, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(
            one, other, rtol=0, atol=5e3 * np.finfo(other.dtype).eps * np.abs(other).max(initial=1)
        )
    return tape


@needs_numba
@pytest.mark.usefixtures("every_size")
class TestValues:
    @given(STACKS, LENGTHS, WIDTHS, WIDTHS, DTYPES)
    def test_computed_rows_and_sums_of_results(self, stack, rows, terms, columns, dtype):
        def fun(x, m, w):
            product = np.matmul(np.transpose(x[:, None, :] - m, (1, 0, 2)), np.transpose(w, (0, 2, 1)))
            return product, np.sum(np.transpose(product, (1, 0, 2)) ** 2, -1)

        rows = max(rows, terms)
        args = (
            drawn(rows, terms, dtype=dtype),
            drawn(stack, terms, dtype=dtype),
            drawn(stack, columns, terms, dtype=dtype),
        )
        tape = check(fun, *args)
        assert sum(op.count("matmul") for op in inside(tape)) == 1

    @given(STACKS, LENGTHS, WIDTHS, WIDTHS, DTYPES)
    def test_computed_terms_and_sums_over_them(self, stack, terms, rows, columns, dtype):
        def fun(p, w, x, m):
            weighted = p.T[:, :, None] * (2 * w)
            product = np.matmul(np.transpose(weighted, (0, 2, 1)), np.transpose(x[:, None, :] - m, (1, 0, 2)))
            return product, np.sum(weighted, 1)

        terms = max(terms, rows) + 1
        sizes = ((terms, stack), (stack, terms, rows), (terms, columns), (stack, columns))
        check(fun, *(drawn(*shape, dtype=dtype) for shape in sizes))

    @given(STACKS, WIDTHS, WIDTHS, WIDTHS, st.data())
    def test_views_and_broadcasts(self, stack, rows, terms, columns, data):
        views = {
            "plain": ((stack, 2), lambda x: x),
            "one matrix": ((1, 2), lambda x: x),
            "turned": ((2, stack), lambda x: np.swapaxes(x, 0, 1)),
            "every second": ((2 * stack, 2), lambda x: x[::2]),
            "backwards": ((stack, 2), lambda x: x[::-1]),
            "picked": ((3, stack, 2), lambda x: x[1]),
            "new axis": ((2,), lambda x: x[None]),
        }
        a, b = (views[data.draw(st.sampled_from(sorted(views)))] for _ in range(2))
        x, y = drawn(*a[0], rows, terms), drawn(*b[0], terms, columns)
        check(lambda x, y: np.matmul(a[1](x), b[1](y)), x, y)
        check(lambda x, y: np.matmul(a[1](x) * 2 - 1, np.abs(b[1](y))), x, y)

    def test_several_axes_of_a_stack(self):
        def fun(x, y):
            product = np.matmul(x + 1, y)
            return product, np.sum(product * product, -1)

        check(fun, drawn(2, 1, 3, 70, 9), drawn(4, 1, 9, 11))

    def test_a_mask_is_an_operand(self):
        def fun(x, mask, y):
            return np.matmul(np.where(mask, x, 0), y)

        args = drawn(3, 40, 6), RNG.random((40, 6)) > 0.5, drawn(3, 6, 5)
        assert "where" in inside(check(fun, *args))[0]

    def test_results_do_not_depend_on_the_number_of_threads(self):
        def fun(x, m, w):
            product = np.matmul(np.transpose(x[:, None, :] - m, (1, 0, 2)), w)
            return np.matmul(np.transpose(product, (0, 2, 1)), product), np.sum(product**2, -1)

        args = drawn(100, 6), drawn(4, 6), drawn(4, 6, 5)
        run = Straight(fuse(tape_of(fun, *args))).run
        before = autodiff.get_num_threads()
        try:
            results = []
            for count in (1, 3):
                autodiff.set_num_threads(count)
                results.append(run(*args))
        finally:
            autodiff.set_num_threads(before)
        for one, other in zip(*results, strict=True):
            np.testing.assert_array_equal(one, other)


@needs_numba
@pytest.mark.usefixtures("every_size")
class TestWhatIsFused:
    def test_an_operand_of_few_bytes_is_computed_again_for_each_product(self):
        def fun(x, m, v, w):
            centred = np.transpose(x[:, None, :] - m, (1, 0, 2))
            return np.matmul(centred, v), np.matmul(centred, w)

        tape = tape_of(fun, drawn(50, 6), drawn(4, 6), drawn(4, 6, 5), drawn(4, 6, 3))
        assert [ops.count("subtract") for ops in inside(tape)] == [1, 1]
        assert "subtract" not in names(tape)

    def test_an_operand_of_many_bytes_is_stored(self):
        tape = tape_of(lambda x, y, w: np.matmul(x + y, w), drawn(4, 50, 6), drawn(4, 50, 6), drawn(4, 6, 5))
        assert inside(tape) == [["matmul"]]
        assert "add" in names(tape)

    def test_an_operand_that_is_dear_is_stored(self):
        tape = tape_of(lambda x, w: np.matmul(np.exp(x), w), drawn(4, 50, 6), drawn(4, 6, 5))
        assert inside(tape) == [["matmul"]]

    def test_a_second_operand_is_not_made_for_every_block(self):
        tape = tape_of(lambda x, w: np.matmul(x, w * 2), drawn(4, 50, 6), drawn(4, 6, 5))
        assert plan_of(tape).plain
        assert "multiply" in names(tape)

    def test_a_product_of_which_only_sums_are_wanted_is_not_stored(self):
        tape = check(lambda x, w: np.sum(np.matmul(x, w) ** 2, -1), drawn(4, 50, 6), drawn(4, 6, 5))
        assert not plan_of(tape).stored
        assert [s.shape for s in tape.equations[-1].specs] == [(4, 50)]

    def test_a_sum_that_the_other_operand_waits_for_is_apart(self):
        def fun(x, m):
            weighted = x * m
            total = np.sum(weighted, 1)
            return np.matmul(np.transpose(weighted, (0, 2, 1)), weighted + total[:, None, :]), total

        tape = check(fun, drawn(3, 50, 6), drawn(6))
        assert "sum" in names(tape)

    def test_a_sum_of_a_result_that_needs_another_part_of_it_is_apart(self):
        def fun(x, w):
            product = np.matmul(x, w)
            return np.sum(product * np.sum(product, -1, keepdims=True), -1)

        check(fun, drawn(4, 50, 6), drawn(4, 6, 5))

    def test_the_sums_of_two_products_that_need_each_other_in_turn(self):
        def fun(x, w):
            first = np.matmul(x, w)
            squares = np.sum(first**2, -1)
            second = np.matmul(x * squares[..., None], w)
            return np.sum(second**2, -1), np.sum(first * 3, -1)

        check(fun, drawn(4, 50, 6), drawn(4, 6, 5))


class TestPlan:
    @given(st.integers(1, 5000), st.integers(1, 300))
    def test_blocks_fill_a_length(self, total, most):
        runs = blocks(total, most)
        assert 1 <= len(runs) <= 2
        assert sum(size * count for _, size, count in runs) == total
        assert [start for start, _, _ in runs] == [0, *(size * count for _, size, count in runs[:-1])]
        assert max(size for _, size, _ in runs) <= most

    @given(STACKS, st.integers(1000, 3000), st.integers(8, 100), st.integers(8, 100))
    def test_parts_of_the_memory_lie_apart(self, stack, rows, terms, columns):
        def fun(x, m, w):
            product = np.matmul(np.transpose(x[:, None, :] - m, (1, 0, 2)), w)
            return np.sum(product * product, -1)

        tape = tape_of(fun, drawn(rows, terms), drawn(stack, terms), drawn(stack, terms, columns))
        plan = plan_of(tape)
        places = list(plan.rooms.values())
        assert sorted(places) == places
        assert plan.rooms["c"] - plan.rooms["a"] >= plan.block * terms * 8
        assert plan.memory - plan.rooms["c"] >= plan.block * columns * 8
        assert plan.count == prod(plan.lead) * plan.units
        assert plan.parts * plan.chunk >= plan.count
