"""Points so near a kink that steps cannot tell: right functions are not blamed there, and wrong rules still are."""

import numpy as np
import pytest

from autodiff.scipy import special
from autodiff.testing import Case, GradientMismatch, Undecided, check_laws, laws
from autodiff.testing.differences.pieces import pieces_near
from autodiff.testing.draws.of_case import explicit_operands, fixed_operands
from autodiff.testing.draws.shapes import square_shapes
from autodiff.testing.lawbook.derivatives import forward
from autodiff.testing.problem import Problem
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of


def hinge(x):
    return np.maximum(0, 1 - x)


def top_two(x):
    return np.sort(x, axis=-1)[..., -2:]


NEAR = 0.999999993480742
SMALLEST = """
-1.0000000074505806 -0.9999933242797852 -1.0000009536743164 -0.9999980926513672
"""
EIGHT = """
-1.3437499987485353 0.0 -1.343742311000824 -1.3437500012514647
-1.3437500037543941 -1.3437500100117177 -1.34375 -1.3437499924912117
"""
EIGHTEEN = """
-1.3843994140625 -1.377685546875 -1.3749999935971573 -1.3749921321868896 -1.3749999948777258 -1.3749999935971573
-1.372314453125 -1.3749973773956299 -1.3749947547912598 -1.383056640625 -1.3750052452087402 -1.3749908208847046
-1.3656005859375 -1.3749973773956299 -1.3750000038417056 -1.374999997438863 -1.3749999987194315 -1.3709716796875
"""
TWELVE = """
1.2812499904539436 1.2812426686286926 1.2812500095460564 1.28375244140625 1.282501220703125 1.28125
1.2812500059662852 1.274993896484375 1.2812475562095642 1.277496337890625 1.2812463343143463 1.2812499964202289
"""
ROWS = """
1.3749999987194315 1.375 1.3750052452087402 1.3750000089639798
1.3749999910360202 1.3750091791152954 1.375001311302185 1.372314453125
"""
TINY = "1e-310 1.25 1e-310 1.6875 1.25 5e-324"


def numbers(text, *shape):
    return np.reshape([float(word) for word in text.split()], shape)


def planted(value, rule, family="elementwise"):
    def spec(x):
        return spec_of(np.asarray(value(np.ones(x.shape, x.dtype)))[()])

    return Primitive("planted", family, ("x",), value, rules={"x": rule}, spec=spec, register=False)


@pytest.mark.parametrize(
    ("fun", "x"),
    [
        (np.min, np.broadcast_to(numbers(SMALLEST, 1, 2, 2), (2, 2, 2))),
        (np.median, numbers(EIGHT, 2, 2, 2)),
        (np.median, numbers(TWELVE, 2, 2, 3)),
        (np.median, numbers(EIGHTEEN, 2, 3, 3)),
        (top_two, numbers(ROWS, 2, 4)),
        (np.sort, numbers(TINY, 6)),
        (hinge, np.array(NEAR)),
        (lambda x: np.maximum(0, 1 - abs(x)), np.array(NEAR)),
    ],
    ids=["min", "median of 8", "median of 12", "median of 18", "top two", "sort", "hinge", "triangle"],
)
def test_right_functions_near_a_kink_are_not_blamed(fun, x):
    check_laws(fun, (x,), only=("continuous", "forward", "reverse", "adjoint", "digits"))


def test_a_derivative_that_jumps_at_a_kink_has_its_digits():
    y = np.array([[-0.676, 1.0, 1.565, 0.629], [-2.747, 2.321, -0.865, -0.303], [0.257, 1.011, -2.372, 2.506]])
    check_laws(np.fmin, (np.array(1.0), y), only=("digits",))


def test_single_precision_on_the_way_to_double_precision_is_no_fault_of_a_program():
    x = np.array([[[-2.57, -0.89, 1.73, 1.0], [1.36, -1.84, 0.43, 1.92], [-2.4, 2.67, -1.44, -2.94]]], dtype="float32")
    check_laws(lambda x: np.logaddexp(x, -x) - np.log(2.0), (x,), only=("compiled",))


@pytest.mark.parametrize("slope", [0.5, -2.0, 0.1, -1.1])
@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-7, 6.5e-9, 1e-11, 1e-13, 0.0])
def test_a_wrong_rule_near_a_kink_is_blamed(distance, slope):
    wrong = planted(hinge, lambda g: g * slope)
    with pytest.raises(GradientMismatch):
        check_laws(wrong, (np.array(1.0 - distance),), only=("forward",))
    with pytest.raises(GradientMismatch):
        check_laws(wrong, (np.array(1.0 - distance),), only=("reverse",))


@pytest.mark.parametrize("fun", [np.sin, np.exp, lambda x: np.sin(1e5 * x), lambda x: x**4 - x, special.erf])
@pytest.mark.parametrize("point", [0.3, -1.7, 20.0, 1e-8])
def test_smooth_functions_have_no_pieces(fun, point):
    x = np.array(point)
    assert not pieces_near(lambda x: [fun(x[0])], (x,), (x,), (fun(x),))[0].near


@pytest.mark.parametrize("distance", [0.0, 1e-12, 1e-9, 1e-6, 1e-5])
def test_pieces_near_a_kink_are_found(distance):
    x = np.array(1.0 - distance)
    (found,) = pieces_near(lambda x: [hinge(x[0])], (x,), (x,), (hinge(x),))
    assert found.near
    assert found.middle == pytest.approx(-0.5, abs=1e-6)
    assert found.radius == pytest.approx(0.5, abs=1e-6)


def test_jumps_and_noise_are_no_pieces():
    x = np.array(1.0)
    assert not pieces_near(lambda x: [np.floor(x[0])], (x,), (x,), (x,))[0].near
    assert not pieces_near(lambda x: [np.sin(1e12 * x[0])], (x,), (x,), (x,))[0].near


def test_a_point_near_a_kink_counts_as_one_with_a_kink():
    problem = Problem(np.median, (numbers(EIGHTEEN, 2, 3, 3),))
    assert not problem.kinked
    forward(problem)
    assert problem.kinked


def rows_of(sample, axis):
    x = np.moveaxis(sample.args[0], axis, -1)
    return x.reshape(-1, x.shape[-1])


def tied(row):
    return len(np.unique(row)) < len(row)


@pytest.mark.parametrize("shapes", [None, [(3,), (2, 3), (5,)], square_shapes()], ids=["any", "listed", "strategy"])
@pytest.mark.parametrize("seed", range(5))
def test_ties_in_rows_are_always_drawn(shapes, seed):
    case = Case("f", np.sort, shapes=shapes, seed=seed)
    samples = [one for one in (*fixed_operands(case), *explicit_operands(case)) if np.size(one.args[0])]
    tables = [one for one in samples if one.extreme and np.ndim(one.args[0]) > 1]
    for axis in (0, -1):
        rows = [row for one in tables for row in rows_of(one, axis) if tied(row)]
        assert any(np.sum(row == max(row)) > 1 for row in rows)
        assert any(np.sum(row == min(row)) > 1 for row in rows)
    if shapes is None or isinstance(shapes, list):
        lines = [one.args[0] for one in samples if np.ndim(one.args[0]) == 1 and len(one.args[0]) < 6]
        assert any(len(np.unique(x)) == 1 for x in lines)
        assert any(np.sum(x == max(x)) == 2 < len(x) for x in lines)
        assert any(np.sum(x == min(x)) == 2 < len(x) for x in lines)


@pytest.mark.parametrize("seed", [1, 4, 5, 6, 7])
def test_a_rule_that_is_wrong_at_ties_of_a_row_alone_is_found(seed):
    def wrong(g, x, out):
        return np.expand_dims(g, -1) * (x == np.expand_dims(out, -1))

    largest = planted(lambda x: np.max(x, axis=-1), wrong, "general")
    with pytest.raises(GradientMismatch):
        laws(largest, shapes=[(3,), (2, 3), (5,)], only=("forward", "reverse"), seed=seed)


def test_steps_of_whole_periods_blame_nobody():
    with pytest.raises(Undecided, match="numerical derivatives is accurate"):
        check_laws(np.sinc, (np.array(94208.0),), only=("forward",))
    check_laws(np.sinc, (np.array([94208.0, 0.0]),), only=("forward",))


def test_sums_in_single_precision_may_have_another_order():
    def cosine(x, y):
        return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))

    x = np.repeat(np.array([1.799, 0.682, 1.0], dtype="float32"), 2, axis=-1)[..., ::2]
    check_laws(cosine, (x, np.array([1.0, 0.206, 2.278])), only=("replay",))


def test_what_large_numbers_leave_of_each_other_is_rounding():
    x = np.broadcast_to(np.array([[9.918212890625e-05], [-17301504.0]]), (2, 3))
    check_laws(lambda x: special.log_softmax(x, axis=-1), (x,), only=("forward", "reverse"))
