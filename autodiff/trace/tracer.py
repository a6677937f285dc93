"""The stand-in for an array while code is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autodiff.trace.errors import ConcretizationError
from autodiff.trace.failures.concretization import ARRAY, remedy_of_loss, remedy_of_unknown
from autodiff.trace.source import asked_by, at_user_line
from autodiff.trace.spec import TRACERS, Spec, spec_of
from autodiff.trace.text import NumberText
from autodiff.trace.traced import Traced
from autodiff.trace.values.sparse_operands import is_operand_of_sparse, no_array

if TYPE_CHECKING:
    from autodiff.trace.recording import Recording


class Tracer(Traced):
    """A traced value: what transformed functions receive in place of their arrays.

    It behaves as the array does: operators, NumPy's functions, methods, indexing and item assignment.

    Attributes:
        primal: what it stands for: a plain array or number; or a traced value of an older recording, which is how
            transformations nest; or, where only shapes are known, a :class:`~autodiff.trace.spec.Spec`. It is not
            called value: libraries of quantities take that of whatever they meet, and would lose the derivative.
        recording: who listens.
        slot: what the recording knows of the value: its entry, its tangent, or its number on a tape.
    """

    __slots__ = ("__weakref__", "primal", "recording", "slot")

    def __hash__(self) -> int:
        raise TypeError(
            f"unhashable type: a traced {self.spec!r}{at_user_line()} cannot be a key of a dictionary, an element of a "
            "set, or an argument of a cached function; use a name or a position as the key"
        )

    def __init__(self, primal: Any, recording: Recording, slot: Any) -> None:
        self.primal = primal
        self.recording = recording
        self.slot = slot

    @property
    def level(self) -> int:
        return self.recording.level

    @property
    def spec(self) -> Spec:
        return spec_of(self.primal)

    def record(
        self,
        primitive: Any,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        return self.recording.record(primitive, operands, params, apply)

    @property
    def shape(self) -> tuple[int, ...]:
        value = self.primal
        return value.shape if isinstance(value, (np.ndarray, Traced)) else spec_of(value).shape

    @property
    def dtype(self) -> np.dtype[Any]:
        value = self.primal
        return value.dtype if isinstance(value, (np.ndarray, Traced)) else spec_of(value).dtype

    @property
    def size(self) -> int:
        return spec_of(self).size

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError(f"iteration over a 0-d array{at_user_line()}")
        return (self[index] for index in range(self.shape[0]))  # type: ignore[index]

    def __repr__(self) -> str:
        return f"Tracer({self.primal!r})"

    # Turning into plain numbers: allowed only where no derivative can be lost.

    def __bool__(self) -> bool:
        return bool(self._plain("bool", lossless=True))

    def __index__(self) -> int:
        return self._plain("an index").__index__()  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return float(self._plain("float"))

    def __int__(self) -> int:
        return int(self._plain("int"))

    def __complex__(self) -> complex:
        return complex(self._plain("complex"))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if is_operand_of_sparse(self):
            return no_array()
        return np.array(self._plain(ARRAY), dtype=dtype)

    def __format__(self, format_spec: str) -> str:
        value = concrete(self)
        return NumberText(str(value) if type(value) is Spec else format(value, format_spec))

    def __str__(self) -> str:
        return NumberText(concrete(self))

    def _plain(self, wanted: str, lossless: bool = False) -> Any:
        value = concrete(self)
        if type(value) is Spec:
            self._refuse_abstract(wanted, value)
        if self.dtype.kind in "fc" and not lossless and not asked_by("numpy.testing"):
            raise ConcretizationError(
                f"a traced {spec_of(self)!r} would become {wanted}{at_user_line()} and its derivative would be lost "
                f"silently. {remedy_of_loss(wanted)}"
            )
        return value

    def _refuse_abstract(self, wanted: str, value: Spec) -> NoReturn:
        recording = self.recording
        recording.check_open(wanted)
        raise ConcretizationError(
            f"a traced {value!r} would become {wanted}{at_user_line()}, but {recording.purpose} traces with shapes "
            f"only: the number is not known. {remedy_of_unknown(wanted, recording.remedy)}"
        )


TRACERS.add(Tracer)


def concrete(value: Any) -> Any:
    """The plain value behind traced ones, or its spec where only that is known."""
    while isinstance(value, Traced):
        value = value.primal if isinstance(value, Tracer) else value.array  # type: ignore[attr-defined]
    return value
