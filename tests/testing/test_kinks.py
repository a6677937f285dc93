"""Kinks are recognised: the derivative lies between the one-sided ones, and a jump is an error that says so."""

import numpy as np
import pytest

from autodiff.testing import GradientMismatch, Undecided, check_laws, laws
from autodiff.testing.differences.central import first_step, scales_for, slopes_along
from autodiff.testing.differences.kinks_inside import kinks_inside
from autodiff.testing.differences.sizes_inside import largest_inside
from autodiff.testing.problem import Problem


def slope_at(fun, x):
    x = np.asarray(x, float)
    (slope,), _ = slopes_along(lambda h: fun(x + h), first_step((x,), (np.ones_like(x),)), scales_for((x,)))
    return slope


@pytest.mark.parametrize(
    ("fun", "point", "left", "right"),
    [
        (np.abs, 0.0, -1.0, 1.0),
        (lambda x: np.clip(x, -1, 1), 1.0, 1.0, 0.0),
        (lambda x: np.where(x > 0, np.sin(x), x * x), 0.0, 0.0, 1.0),
        (lambda x: np.maximum(np.exp(x), 1 + 3 * x), 0.0, 1.0, 3.0),
        (lambda x: np.abs(x - 3.0) * x, 3.0, -3.0, 3.0),
    ],
)
def test_one_sided_slopes_at_a_kink(fun, point, left, right):
    slope = slope_at(fun, point)
    assert slope.kinked
    assert slope.limit == pytest.approx((left + right) / 2, abs=1e-8)
    assert slope.radius == pytest.approx(abs(right - left) / 2, abs=1e-8)


@pytest.mark.parametrize("fun", [np.sin, np.exp, lambda x: x * np.abs(x), lambda x: x**3, np.tanh])
@pytest.mark.parametrize("point", [0.0, 1.0, -2.5, 1e-8, 1e5])
def test_smooth_functions_have_no_kink(fun, point):
    with np.errstate(all="ignore"):
        slope = slope_at(fun, point)
    assert not slope.kinked


@pytest.mark.parametrize(("fun", "point", "size"), [(np.floor, 1.0, 1), (np.sign, 0.0, 1), (lambda x: x % 2, 4.0, 2)])
def test_a_jump_is_measured(fun, point, size):
    assert slope_at(fun, point).jump == pytest.approx(size)


def test_a_jump_is_an_error_that_says_so():
    with pytest.raises(GradientMismatch) as error:
        check_laws(np.floor, (np.array([1.0, 0.5]),))
    assert error.value.law == "continuous"
    assert error.value.detail == (
        "  in         result 0[0], which is np.float64(1.0) here\n"
        "  arrived    values that differ by 1 however small the step\n"
        "  expected   values that come closer with the step; keep the arguments away from jumps, with "
        "domain=domains.real.avoiding(...), or leave the law out with skip=('continuous',)"
    )


def test_kinks_are_accepted_and_the_summary_says_where():
    found = laws(lambda x: np.clip(x, -1, 1), name="clip")
    assert found.kinked
    assert "accepted" in str(found)
    assert "kinks='error' refuses them" in str(found)


def test_kinks_are_refused_where_that_is_asked_for():
    with pytest.raises(GradientMismatch, match="'smooth'") as error:
        laws(np.abs, kinks="error")
    assert error.value.detail == (
        "  in         result 0\n"
        "  arrived    slopes on both sides that differ by 2\n"
        "  expected   one slope; kinks='accept' takes any derivative between the two"
    )


def test_an_unknown_word_for_kinks_is_refused():
    with pytest.raises(ValueError, match="kinks") as error:
        laws(np.abs, kinks="maybe")
    assert str(error.value) == "kinks is 'accept' or 'error', and 'maybe' arrived"


@pytest.mark.parametrize(
    ("fun", "args", "inside"),
    [
        (lambda z: np.abs(z) ** 2, (np.array([0.0 + 0.0j, 1.0]),), ["absolute"]),
        (lambda x: np.maximum(x, 0) - np.maximum(-x, 0), (np.zeros(2),), ["maximum"]),
        (lambda x: np.sqrt(np.sum(x * x)), (np.zeros(2),), ["sqrt"]),
        (lambda x: np.sin(x) * x, (np.zeros(2),), []),
    ],
)
def test_the_operation_inside_that_has_the_kink_is_named(fun, args, inside):
    assert kinks_inside(Problem(fun, args)) == inside


def test_a_second_derivative_at_a_kink_inside_is_undecided():
    with pytest.raises(Undecided, match="absolute inside has a kink"):
        check_laws(lambda z: np.abs(z) ** 2, (np.zeros(2, complex),), only=("forward over reverse",))


def test_three_equal_elements_of_sort_are_no_fault():
    check_laws(np.sort, (np.array([2.0, 1.0, 1.0, 1.0]),), skip=("forward", "reverse"))
    laws(lambda x: np.sort(np.stack([x, +x, x * 1]), axis=0), name="sort of three", max_examples=5)
    check_laws(np.sort, (np.array([-0.0, 0.0, -1.0, 0.0]),), only=("forward", "reverse"))


def test_values_that_have_lost_their_digits_blame_nobody():
    with pytest.raises(Undecided, match="numerical derivatives is accurate"):
        check_laws(lambda x: 0.5 + 0.5 * np.tanh(3 * x), (np.array(-6.25),), only=("forward",))
    with pytest.raises(Undecided, match="numerical derivatives is accurate"):
        check_laws(lambda x: np.logaddexp(x, -x) - np.log(2.0), (np.array(-1.9e-8),), only=("forward",))


def tukey(x):
    return np.where(np.abs(x) < 2, 1 - (1 - (x / 2) ** 2) ** 3, 1.0)


def langevin(x):
    return 1 / np.tanh(x) - 1 / x


def test_values_that_move_in_units_of_larger_numbers_do_not_jump():
    check_laws(tukey, (np.array([-4.3213367462158203e-07, -1.5273690223693848e-07]),), only=("continuous",))
    check_laws(langevin, (np.array([0.679, 1.0943040251731873e-08]),), only=("continuous", "forward", "reverse"))
    assert largest_inside(Problem(langevin, (np.array([0.5, 1e-8]),))) == pytest.approx(1e8)
    assert largest_inside(Problem(lambda x: x * 1e-3, (np.array([0.5]),))) == 1.0


def test_both_modes_may_have_lost_other_digits():
    for point in (
        np.array([-8.614733815193176e-09, -9.080395102500916e-09, -2.561137080192566e-08]),
        np.array([-3.5e-7]),
    ):
        check_laws(lambda x: np.logaddexp(x, -x) - np.log(2.0), (point,), only=("adjoint",))
