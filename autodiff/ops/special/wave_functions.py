"""Functions of Mathieu, of parabolic cylinders and of spheroids: solutions of wave equations in these coordinates.

Each comes with its derivative as its second result, of which the equation gives the derivative in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any, NoReturn

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import cos, cosh
from autodiff.ops.special.partial_derivatives import Room, above, anywhere, between
from autodiff.ops.special.scipy_functions import SEVERAL, of_results, with_partials
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.link import Rule
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line

DEGREE = pi / 180
CYLINDER: dict[str, Room | None] = {"v": anywhere, "x": anywhere}
MATHIEU: dict[str, Room | None] = {"m": None, "q": anywhere, "x": anywhere}
ANGLE: dict[str, Room | None] = {"m": None, "n": None, "c": above(0), "x": between(-1, 1)}
PROLATE: dict[str, Room | None] = {"m": None, "n": None, "c": above(0), "x": above(1)}
OBLATE: dict[str, Room | None] = {"m": None, "n": None, "c": above(0), "x": above(0)}

Results = dict[str, dict[str, Rule]]
Find = Callable[[], tuple[Primitive, ...]]


def _cylinder(find: Find, energy: Callable[[Any, Any], Any]) -> Results:
    """A function of parabolic cylinders and its derivative: the second derivative is energy times the function."""
    return {
        "value": {"dx": lambda g, v, x: g * find()[1](v, x)},
        "slope": {"dx": lambda g, v, x: g * energy(v, x) * find()[0](v, x)},
    }


def _mathieu(
    find: Find,
    energy: Callable[[Any, Any], Any],
    wave: Callable[[Any], Any],
    unit: float,
) -> Results:
    """A Mathieu function and its derivative: the second derivative is (2 q wave(2 x) - energy) times the function.

    Args:
        find: the operations of both.
        energy: the characteristic value.
        wave: cos, or cosh for modified functions, which turns the sign as well.
        unit: of the argument, in radians; the derivative that SciPy returns is that by radians.
    """
    sign = 1 if wave is cos else -1
    return {
        "value": {"dx": lambda g, m, q, x: g * unit * find()[1](m, q, x)},
        "slope": {
            "dx": lambda g, m, q, x: g * unit * sign * (2 * q * wave(2 * unit * x) - energy(m, q)) * find()[0](m, q, x)
        },
    }


def _wave(find: Find, curvature: Callable[..., Any]) -> Results:
    """A function of spheroids and its derivative."""
    return {
        "value": {"dx": lambda g, m, n, c, x: g * find()[1](m, n, c, x)},
        "slope": {"dx": lambda g, m, n, c, x, out: g * curvature(m, n, c, x, find()[0](m, n, c, x), out)},
    }


def _prolate(m: Any, n: Any, c: Any, x: Any, value: Any, slope: Any, cv: Any = None) -> Any:
    """The second derivative of prolate functions, angular and radial."""
    away = 1 - x * x
    return (2 * x * slope - ((pro_cv(m, n, c) if cv is None else cv) - c * c * x * x - m * m / away) * value) / away


def _oblate_angle(m: Any, n: Any, c: Any, x: Any, value: Any, slope: Any, cv: Any = None) -> Any:
    away = 1 - x * x
    return (2 * x * slope - ((obl_cv(m, n, c) if cv is None else cv) + c * c * x * x - m * m / away) * value) / away


def _oblate_radius(m: Any, n: Any, c: Any, x: Any, value: Any, slope: Any, cv: Any = None) -> Any:
    away = 1 + x * x
    return (((obl_cv(m, n, c) if cv is None else cv) - c * c * x * x - m * m / away) * value - 2 * x * slope) / away


def _refuses(name: str, operand: str) -> Rule:
    """The rule of an operand by which what SciPy computes has no meaning."""

    def refuse(g: Any) -> NoReturn:
        raise DifferentiationError(
            f"scipy.special.{name} has no derivative by {operand}{at_user_line()}: its values mean something for the "
            f"characteristic value that belongs to m, n and c alone. Call {name.removesuffix('_cv')}, which finds it."
        )

    return refuse


def _of_value(name: str, ufunc: np.ufunc, curvature: Callable[..., Any]) -> None:
    """A function of spheroids and its derivative, for a given characteristic value."""
    fixed: dict[str, Rule] = {"dc": _refuses(name, "c"), "dcv": _refuses(name, "cv")}

    def slope(g: Any, m: Any, n: Any, c: Any, cv: Any, x: Any) -> Any:
        return g * SEVERAL[ufunc][1](m, n, c, cv, x)

    def bend(g: Any, m: Any, n: Any, c: Any, cv: Any, x: Any, out: Any) -> Any:
        return g * curvature(m, n, c, x, SEVERAL[ufunc][0](m, n, c, cv, x), out, cv)

    operands: dict[str, Room | None] = {"m": None, "n": None, "c": None, "cv": None, "x": None}
    of_results(name, ufunc, operands, {"value": {"dx": slope, **fixed}, "slope": {"dx": bend, **fixed}})


# fmt: off
pbdv: Any = of_results("pbdv", sp.pbdv, CYLINDER, _cylinder(lambda: pbdv, lambda v, x: x * x / 4 - v - 0.5))
pbvv: Any = of_results("pbvv", sp.pbvv, CYLINDER, _cylinder(lambda: pbvv, lambda v, x: x * x / 4 - v - 0.5))
pbwa: Any = of_results("pbwa", sp.pbwa, CYLINDER, _cylinder(lambda: pbwa, lambda v, x: v - x * x / 4))

mathieu_a = with_partials("mathieu_a", sp.mathieu_a, {"m": None, "q": anywhere})
mathieu_b = with_partials("mathieu_b", sp.mathieu_b, {"m": None, "q": anywhere})
cem: Any = of_results("mathieu_cem", sp.mathieu_cem, MATHIEU, _mathieu(lambda: cem, mathieu_a, cos, DEGREE))
sem: Any = of_results("mathieu_sem", sp.mathieu_sem, MATHIEU, _mathieu(lambda: sem, mathieu_b, cos, DEGREE))
modcem1: Any = of_results("mathieu_modcem1", sp.mathieu_modcem1, MATHIEU, _mathieu(lambda: modcem1, mathieu_a, cosh, 1))
modcem2: Any = of_results("mathieu_modcem2", sp.mathieu_modcem2, MATHIEU, _mathieu(lambda: modcem2, mathieu_a, cosh, 1))
modsem1: Any = of_results("mathieu_modsem1", sp.mathieu_modsem1, MATHIEU, _mathieu(lambda: modsem1, mathieu_b, cosh, 1))
modsem2: Any = of_results("mathieu_modsem2", sp.mathieu_modsem2, MATHIEU, _mathieu(lambda: modsem2, mathieu_b, cosh, 1))

pro_cv: Primitive = with_partials("pro_cv", sp.pro_cv, {"m": None, "n": None, "c": above(0)})
obl_cv: Primitive = with_partials("obl_cv", sp.obl_cv, {"m": None, "n": None, "c": above(0)})
pro_ang1: Any = of_results("pro_ang1", sp.pro_ang1, ANGLE,   _wave(lambda: pro_ang1, _prolate))
pro_rad1: Any = of_results("pro_rad1", sp.pro_rad1, PROLATE, _wave(lambda: pro_rad1, _prolate))
pro_rad2: Any = of_results("pro_rad2", sp.pro_rad2, PROLATE, _wave(lambda: pro_rad2, _prolate))
obl_ang1: Any = of_results("obl_ang1", sp.obl_ang1, ANGLE,   _wave(lambda: obl_ang1, _oblate_angle))
obl_rad1: Any = of_results("obl_rad1", sp.obl_rad1, OBLATE,  _wave(lambda: obl_rad1, _oblate_radius))
obl_rad2: Any = of_results("obl_rad2", sp.obl_rad2, OBLATE,  _wave(lambda: obl_rad2, _oblate_radius))

# For a given characteristic value.
_of_value("pro_ang1_cv", sp.pro_ang1_cv, _prolate)
_of_value("pro_rad1_cv", sp.pro_rad1_cv, _prolate)
_of_value("pro_rad2_cv", sp.pro_rad2_cv, _prolate)
_of_value("obl_ang1_cv", sp.obl_ang1_cv, _oblate_angle)
_of_value("obl_rad1_cv", sp.obl_rad1_cv, _oblate_radius)
_of_value("obl_rad2_cv", sp.obl_rad2_cv, _oblate_radius)
# fmt: on
