"""scipy.spatial.transform.Rotation for plain and traced values alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial import transform

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import holds_traced, plain_call
from autodiff.scipy.spatial.transform import quaternions as qs
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.containers import register_tree


class TracedRotation:
    """A rotation, or an array of them, of traced quaternions.

    Attributes:
        q: the quaternions, of length one, the scalar last.
    """

    __array_ufunc__ = None
    holds_traced = True
    stands_for = transform.Rotation

    def __init__(self, q: Any) -> None:
        self.q = q

    def __repr__(self) -> str:
        return f"<rotation {spec_of(self.q)!r}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise DifferentiationError(
            f"a rotation of traced values has no {name!r}{at_user_line()}; it has as_quat, as_matrix, as_rotvec, "
            "as_mrp, as_euler, apply, inv, magnitude, mean, products and powers"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        return spec_of(self.q).shape[:-1]

    @property
    def single(self) -> bool:
        return self.shape == ()

    def __len__(self) -> int:
        if self.single:
            raise TypeError("Single rotation has no len().")
        return self.shape[0]

    def __iter__(self) -> Iterator[TracedRotation]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> TracedRotation:
        if self.single:
            raise TypeError("Single rotation is not subscriptable.")
        return TracedRotation(self.q[key])

    def __mul__(self, other: Any) -> Any:
        return TracedRotation(qs.product(self.q, quaternion_of(other))) if is_rotation(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return TracedRotation(qs.product(quaternion_of(other), self.q)) if is_rotation(other) else NotImplemented

    def __pow__(self, n: Any, modulus: None = None) -> TracedRotation:
        return TracedRotation(qs.from_rotation_vector(as_operand(n) * qs.as_rotation_vector(self.q)))

    def inv(self) -> TracedRotation:
        """The rotation back."""
        return TracedRotation(qs.inverse(self.q))

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """The quaternions, of which q and -q are one rotation."""
        q = qs.canonical(self.q) if canonical else self.q
        return FUNCTIONS[np.roll](q, 1, -1) if scalar_first else q

    def as_matrix(self) -> Any:
        """The matrices."""
        return qs.as_matrix(self.q)

    def as_rotvec(self, degrees: bool = False) -> Any:
        """The axes times the angles."""
        return qs.as_rotation_vector(self.q) * (180 / np.pi if degrees else 1.0)

    def as_mrp(self) -> Any:
        """The axes times the tangents of a quarter of the angles."""
        return qs.as_modified_rodrigues(self.q)

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        """Angles of three turns, one after the other."""
        return qs.as_euler(self.q, seq, degrees)

    def magnitude(self) -> Any:
        """The angles."""
        return qs.angle_of(self.q)

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Vectors turned."""
        vectors = qs.of_length(vectors, "apply", 3)
        m = qs.as_matrix(qs.inverse(self.q) if inverse else self.q)
        return (m @ vectors[..., None])[..., 0]

    def mean(self, weights: Any = None, axis: Any = None) -> TracedRotation:
        """The rotation whose squared distances from all of them have the least sum."""
        if axis is not None:
            raise DifferentiationError(f"the mean of traced rotations has no axis={axis!r}{at_user_line()}; use vmap")
        q = FUNCTIONS[np.reshape](self.q, (-1, 4))
        weighted = q if weights is None else q * FUNCTIONS[np.reshape](as_operand(weights), (-1, 1))
        return TracedRotation(FUNCTIONS[np.linalg.eigh](FUNCTIONS[np.transpose](weighted) @ q)[1][:, -1])


register_tree(TracedRotation, lambda own: ((own.q,), None), lambda _, children: rebuilt(*children), lambda _: ("q",))


def rebuilt(q: Any) -> Any:
    """A rotation with other quaternions: one of SciPy's where they are plain, as they leave compiled programs."""
    return Rotation(q) if isinstance(q, np.ndarray) and q.dtype.kind == "f" else TracedRotation(q)


def is_rotation(value: Any) -> bool:
    """Whether a value is a rotation, plain or traced."""
    return isinstance(value, (TracedRotation, transform.Rotation))


def quaternion_of(rotation: Any) -> Any:
    """The quaternions of a rotation."""
    return rotation.q if isinstance(rotation, TracedRotation) else rotation.as_quat()


def adopted(value: Any) -> Any:
    """A rotation of SciPy's as one of ours; anything else as it is."""
    if type(value) is transform.Rotation:
        return Rotation(value.as_quat(), normalize=False)
    return Slerp(value.times, joined(value)) if type(value) is transform.Slerp else value


def joined(slerp: Any) -> Any:
    """The rotations between which one of SciPy's turns."""
    last = slerp.rotations[-1] * transform.Rotation.from_rotvec(slerp.rotvecs[-1])
    return transform.Rotation.concatenate([slerp.rotations, last])


class Rotation(transform.Rotation):  # type: ignore[misc]
    """SciPy's rotations; those made of traced values are :class:`TracedRotation`.

    >>> import numpy as np, autodiff
    >>> def height(angle):
    ...     return Rotation.from_euler("x", angle).apply(np.array([0.0, 1.0, 0.0]))[2]
    >>> float(autodiff.grad(height)(0.0))
    1.0
    """

    def __new__(cls, quat: Any = None, *args: Any, **options: Any) -> Any:
        if holds_traced(quat):
            return cls.from_quat(quat, scalar_first=options.get("scalar_first", False))
        return super().__new__(cls)

    @staticmethod
    def from_quat(quat: Any, *, scalar_first: bool = False) -> Any:
        """The rotation of quaternions, which need not have length one."""
        if not holds_traced(quat):
            return adopted(plain_call(transform.Rotation.from_quat, (quat,), {"scalar_first": scalar_first}))
        q = qs.of_length(quat, "from_quat", 4)
        return TracedRotation(qs.normalized(FUNCTIONS[np.roll](q, -1, -1) if scalar_first else q))

    @staticmethod
    def from_matrix(matrix: Any, *, assume_valid: bool = False) -> Any:
        """The rotation that is nearest to a matrix."""
        if not holds_traced(matrix):
            return adopted(plain_call(transform.Rotation.from_matrix, (matrix,), {"assume_valid": assume_valid}))
        return TracedRotation(qs.from_matrix(matrix, assume_valid))

    @staticmethod
    def from_rotvec(rotvec: Any, degrees: bool = False) -> Any:
        """The rotation of axes times angles."""
        if not holds_traced(rotvec):
            return adopted(plain_call(transform.Rotation.from_rotvec, (rotvec, degrees), {}))
        v = qs.of_length(rotvec, "from_rotvec", 3)
        return TracedRotation(qs.from_rotation_vector(v * (np.pi / 180) if degrees else v))

    @staticmethod
    def from_mrp(mrp: Any) -> Any:
        """The rotation of axes times the tangents of a quarter of the angles."""
        if not holds_traced(mrp):
            return adopted(plain_call(transform.Rotation.from_mrp, (mrp,), {}))
        return TracedRotation(qs.from_modified_rodrigues(qs.of_length(mrp, "from_mrp", 3)))

    @staticmethod
    def from_euler(seq: str, angles: Any, degrees: bool = False) -> Any:
        """The rotation of turns about axes, one after the other."""
        if not holds_traced(angles):
            return adopted(plain_call(transform.Rotation.from_euler, (seq, angles, degrees), {}))
        return TracedRotation(qs.from_euler(seq, angles, degrees))

    @staticmethod
    def identity(*args: Any, **options: Any) -> Any:
        """No rotation."""
        return adopted(transform.Rotation.identity(*args, **options))

    @staticmethod
    def random(*args: Any, **options: Any) -> Any:
        """Rotations of which none is likelier than another."""
        return adopted(transform.Rotation.random(*args, **options))

    @staticmethod
    def concatenate(rotations: Any) -> Any:
        """All rotations in one array."""
        rotations = [rotations] if is_rotation(rotations) else list(rotations)
        if not any(isinstance(one, TracedRotation) for one in rotations):
            return adopted(transform.Rotation.concatenate(rotations))
        rows = [FUNCTIONS[np.atleast_2d](quaternion_of(one)) for one in rotations]
        return TracedRotation(FUNCTIONS[np.concatenate](rows))

    @classmethod
    def align_vectors(cls, a: Any, b: Any, weights: Any = None, return_sensitivity: bool = False) -> Any:
        """The rotation that turns vectors ``b`` nearest to ``a``, and the root of what is left of squares."""
        if not holds_traced((a, b, weights)):
            found = plain_call(transform.Rotation.align_vectors, (a, b, weights, return_sensitivity), {})
            return (adopted(found[0]), *found[1:])
        if return_sensitivity:
            raise DifferentiationError(
                f"align_vectors of traced values has no return_sensitivity={at_user_line()}; leave it out"
            )
        a, b = (FUNCTIONS[np.atleast_2d](qs.of_length(x, "align_vectors", 3)) for x in (a, b))
        if spec_of(a).shape[0] < 2:
            raise DifferentiationError(
                f"align_vectors of one traced pair has no single answer{at_user_line()}; give two pairs or more"
            )
        w = np.ones(spec_of(a).shape[0]) if weights is None else as_operand(weights)
        u, s, vh = FUNCTIONS[np.linalg.svd](FUNCTIONS[np.transpose](a) @ (w[:, None] * b))
        sign = ew.sign(FUNCTIONS[np.linalg.det](u @ vh))
        flip = FUNCTIONS[np.stack]([sign * 0 + 1.0, sign * 0 + 1.0, sign])
        squares = FUNCTIONS[np.sum](w * FUNCTIONS[np.sum](a * a + b * b, -1))
        left = ew.maximum(squares - 2 * FUNCTIONS[np.sum](s * flip), 0.0)
        return TracedRotation(qs.from_matrix((u * flip) @ vh, True)), ew.sqrt(left)

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Vectors turned, which may be traced."""
        return self.traced.apply(vectors, inverse) if holds_traced(vectors) else super().apply(vectors, inverse)

    def mean(self, weights: Any = None, axis: Any = None) -> Any:
        """The mean, of which the weights may be traced."""
        if holds_traced(weights):
            return self.traced.mean(weights, axis)
        return adopted(super().mean(weights) if axis is None else super().mean(weights, axis))

    @property
    def traced(self) -> TracedRotation:
        """The same as one of traced values."""
        return TracedRotation(self.as_quat())

    def inv(self) -> Any:
        """The rotation back."""
        return adopted(super().inv())

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, TracedRotation) else adopted(super().__mul__(other))

    def __pow__(self, n: Any, modulus: None = None) -> Any:
        return self.traced**n if holds_traced(n) else adopted(super().__pow__(n, modulus))

    def __getitem__(self, key: Any) -> Any:
        return self.traced[key] if holds_traced(key) else adopted(super().__getitem__(key))


class Slerp:
    """Turns between rotations at constant speed; times and rotations may be traced.

    Args:
        times: of the rotations, which increase and are constant.
        rotations: as many.
    """

    def __init__(self, times: Any, rotations: Any) -> None:
        if holds_traced(times):
            raise DifferentiationError(
                f"Slerp has a derivative by rotations and by where it is evaluated{at_user_line()}; keep the times of "
                "the rotations constant"
            )
        self.times = np.asarray(times, float)
        self.plain = None if isinstance(rotations, TracedRotation) else transform.Slerp(times, rotations)
        self.q = quaternion_of(rotations)
        self.turns = qs.as_rotation_vector(qs.product(qs.inverse(self.q[:-1]), self.q[1:]))

    def __call__(self, times: Any) -> Any:
        """The rotations at times; outside of the given ones they are NaN where the times are traced."""
        if self.plain is not None and not holds_traced(times):
            return adopted(self.plain(times))
        times = as_operand(times) * 1.0
        before = FUNCTIONS[np.clip](FUNCTIONS[np.searchsorted](self.times, times) - 1, 0, self.times.size - 2)
        start, end = (FUNCTIONS[np.take](self.times, before + k) for k in (0, 1))
        outside = ew.logical_or(ew.less(times, self.times[0]), ew.greater(times, self.times[-1]))
        share = ew.where(outside, np.nan, (times - start) / (end - start))
        turn = qs.from_rotation_vector(FUNCTIONS[np.take](self.turns, before, 0) * share[..., None])
        return TracedRotation(qs.product(FUNCTIONS[np.take](self.q, before, 0), turn))
