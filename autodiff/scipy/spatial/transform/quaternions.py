"""Quaternions of rotations, the scalar last: what makes them, what they make, and their products.

All are functions of arrays whose last axis, or last two, belong to one rotation; any of them may be traced.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops import elementwise as ew
from autodiff.scipy.called_back import known
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

AXES = {"x": 0, "y": 1, "z": 2}
SMALL = 1e-3
"""Below this angle, or tangent of half of it, functions are series, as SciPy's are."""

LOCKED = 1e-7
"""So near to a lock of Euler's angles SciPy sets one of them to zero."""

STEPS = 12
"""Of Newton's method from a matrix to the nearest rotation: digits double with each."""


def parts(x: Any) -> list[Any]:
    """The numbers along the last axis."""
    return [x[..., k] for k in range(spec_of(x).shape[-1])]


def beside(*numbers: Any) -> Any:
    """Numbers as the last axis of an array."""
    return FUNCTIONS[np.stack](FUNCTIONS[np.broadcast_arrays](*numbers), -1)


def of_length(x: Any, name: str, count: int) -> Any:
    """An array of floating-point numbers with so many along the last axis."""
    x = as_operand(x) * 1.0
    shape = spec_of(x).shape
    if not shape or shape[-1] != count:
        raise OperandError(f"{name} got {spec_of(x)!r}{at_user_line()}; it needs {count} numbers along the last axis")
    return x


def normalized(q: Any) -> Any:
    """Quaternions of length one."""
    return q / ew.sqrt(FUNCTIONS[np.sum](q * q, -1, keepdims=True))


def product(p: Any, q: Any) -> Any:
    """The rotation q, and p after it."""
    (px, py, pz, pw), (qx, qy, qz, qw) = parts(p), parts(q)
    return beside(
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy + py * qw + pz * qx - px * qz,
        pw * qz + pz * qw + px * qy - py * qx,
        pw * qw - px * qx - py * qy - pz * qz,
    )


def inverse(q: Any) -> Any:
    """The rotation back."""
    return q * np.array([-1.0, -1.0, -1.0, 1.0])


def canonical(q: Any) -> Any:
    """The one of q and -q whose scalar is not negative."""
    return ew.where(ew.less(q[..., 3:], 0), -q, q)


def from_rotation_vector(v: Any) -> Any:
    """The quaternion of axis times angle."""
    square = FUNCTIONS[np.sum](v * v, -1, keepdims=True)
    small = ew.less_equal(square, SMALL**2)
    angle = ew.sqrt(ew.where(small, 1.0, square))
    share = ew.where(small, 0.5 - square / 48 + square * square / 3840, ew.sin(angle / 2) / angle)
    scalar = ew.where(small, 1 - square / 8 + square * square / 384, ew.cos(angle / 2))
    return FUNCTIONS[np.concatenate]([v * share, scalar], -1)


def as_rotation_vector(q: Any) -> Any:
    """Axis times angle, which is at most half a turn."""
    q = canonical(q)
    v, w = q[..., :3], q[..., 3:]
    square = FUNCTIONS[np.sum](v * v, -1, keepdims=True)
    small = ew.less_equal(square, (SMALL * w) ** 2)
    length = ew.sqrt(ew.where(small, 1.0, square))
    tangent = square / ew.where(small, w * w, 1.0)
    series = 2 / ew.where(small, w, 1.0) * (1 - tangent / 3 + tangent * tangent / 5)
    return v * ew.where(small, series, 2 * ew.arctan2(length, w) / length)


def angle_of(q: Any) -> Any:
    """The angle of a rotation; its derivative at no rotation at all is zero."""
    return 2 * ew.arctan2(FUNCTIONS[np.linalg.norm](q[..., :3], axis=-1), ew.absolute(q[..., 3]))


def as_matrix(q: Any) -> Any:
    """The matrix of a rotation."""
    x, y, z, w = parts(q)
    rows = (
        (x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), -x * x - y * y + z * z + w * w),
    )
    return FUNCTIONS[np.stack]([FUNCTIONS[np.stack](row, -1) for row in rows], -2)


def from_matrix(m: Any, assume_valid: bool) -> Any:
    """The quaternion of the rotation that is nearest to a matrix.

    Raises:
        OperandError: if it is none of three rows and columns, or mirrors.
    """
    m = as_operand(m) * 1.0
    if spec_of(m).shape[-2:] != (3, 3):
        raise OperandError(f"from_matrix got {spec_of(m)!r}{at_user_line()}; it needs three rows and columns")
    if known(m) and np.any(np.linalg.det(np.asarray(peeled(m, "from_matrix"))) <= 0):
        raise OperandError(f"from_matrix got a matrix whose determinant is not positive{at_user_line()}; it mirrors")
    if not assume_valid:
        m = nearest_rotation(m)
    diagonal = [m[..., k, k] for k in range(3)]
    trace = diagonal[0] + diagonal[1] + diagonal[2]
    found = [beside(*(m[..., k, j] - m[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1))), 1 + trace)]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        own = {i: 1 - trace + 2 * diagonal[i], j: m[..., j, i] + m[..., i, j], k: m[..., k, i] + m[..., i, k]}
        found.append(beside(own[0], own[1], own[2], m[..., k, j] - m[..., j, k]))
    largest = FUNCTIONS[np.argmax](FUNCTIONS[np.stack]([trace, *diagonal], -1), -1)
    q = found[0]
    for i in range(3):
        q = ew.where(ew.equal(largest, i + 1)[..., None], found[i + 1], q)
    return normalized(q)


def nearest_rotation(m: Any) -> Any:
    """The orthogonal factor of a matrix, by Newton's method: the mean of it and of its inverse transposed."""
    for _ in range(steps_to_rotation(np.asarray(peeled(m, "from_matrix"))) if known(m) else STEPS):
        m = (m + FUNCTIONS[np.swapaxes](FUNCTIONS[np.linalg.inv](m), -1, -2)) / 2
    return m


def steps_to_rotation(m: Any) -> int:
    """How many steps make a matrix orthogonal to rounding; two more have the derivatives."""
    for count in range(STEPS):
        if np.allclose(m @ np.swapaxes(m, -1, -2), np.eye(3), rtol=0, atol=1e-12):
            return count + 2
        m = (m + np.swapaxes(np.linalg.inv(m), -1, -2)) / 2
    return STEPS + 2


def from_modified_rodrigues(p: Any) -> Any:
    """The quaternion of axis times the tangent of a quarter of the angle."""
    square = FUNCTIONS[np.sum](p * p, -1, keepdims=True)
    return FUNCTIONS[np.concatenate]([2 * p, 1 - square], -1) / (1 + square)


def as_modified_rodrigues(q: Any) -> Any:
    """Axis times the tangent of a quarter of the angle."""
    q = canonical(q)
    return q[..., :3] / (1 + q[..., 3:])


def axes_of(seq: str) -> tuple[list[int], bool]:
    """The axes of Euler's angles, and whether they turn with the body.

    Raises:
        ValueError: for other than one to three of x, y, z, or of X, Y, Z.
    """
    named = 1 <= len(seq) <= 3 and (set(seq) <= set("xyz") or set(seq) <= set("XYZ"))
    if not named or any(a == b for a, b in pairwise(seq)):
        raise ValueError(
            f"the axes of Euler's angles are one to three of 'xyz', or of 'XYZ', neighbours different"
            f"{at_user_line()}; got {seq!r}"
        )
    return [AXES[axis] for axis in seq.lower()], seq.isupper()


def from_euler(seq: str, angles: Any, degrees: bool) -> Any:
    """The quaternion of turns about axes, one after the other."""
    axes, turning = axes_of(seq)
    angles = as_operand(angles) * (np.pi / 180 if degrees else 1.0)
    shape = spec_of(angles).shape
    if len(axes) == 1:
        each = [of_length(angles, "from_euler", 1)[..., 0] if shape else angles]
    else:
        each = parts(of_length(angles, "from_euler", len(axes)))
    found: Any = None
    for axis, angle in zip(axes, each, strict=True):
        numbers = [angle * 0.0] * 3 + [ew.cos(angle / 2)]
        numbers[axis] = ew.sin(angle / 2)
        own = beside(*numbers)
        found = own if found is None else product(found, own) if turning else product(own, found)
    return found


def as_euler(q: Any, seq: str, degrees: bool) -> Any:
    """Euler's angles about three axes. E. Bernardes and S. Viollet, Quaternion to Euler angles conversion, 2022.

    Where the first and the last axis coincide the angles have no derivative: known ones are refused, others are NaN.
    """
    axes, turning = axes_of(seq)
    if len(axes) != 3:
        raise ValueError(f"as_euler needs three axes{at_user_line()}, got {seq!r}")
    i, j, k = axes if not turning else axes[::-1]
    same = i == k
    k = 3 - i - j if same else k
    sign = (i - j) * (j - k) * (k - i) // 2
    numbers = parts(q)
    w, x, y, z = numbers[3], numbers[i], numbers[j], numbers[k] * float(sign)
    a, b, c, d = (w, x, y, z) if same else (w - y, x + z, y + w, z - x)
    middle = 2 * ew.arctan2(ew.hypot(c, d), ew.hypot(a, b))
    locked = ew.logical_or(ew.less_equal(middle, LOCKED), ew.greater_equal(middle, np.pi - LOCKED))
    if known(locked) and np.any(peeled(locked, "as_euler")):
        raise DifferentiationError(
            f"Euler's angles {seq!r} of this rotation are locked{at_user_line()}: their first and last axis coincide, "
            "and there is no derivative; take as_rotvec, as_matrix, or other axes"
        )
    half_sum, half_difference = ew.arctan2(b, a), ew.arctan2(d, c)
    first, last = half_sum - half_difference, half_sum + half_difference
    if not same:
        last, middle = last * float(sign), middle - np.pi / 2
    order = (last, middle, first) if turning else (first, middle, last)
    found = [ew.where(locked, np.nan, ew.remainder(angle + np.pi, 2 * np.pi) - np.pi) for angle in order]
    return beside(*found) * (180 / np.pi if degrees else 1.0)
