"""The table of laws: what must hold of every function, and where each law applies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from autodiff.testing.lawbook import batching as batch_laws
from autodiff.testing.lawbook import derivatives as derivative_laws
from autodiff.testing.lawbook import keeping as keeping_laws
from autodiff.testing.lawbook import programs as compiled_laws
from autodiff.testing.lawbook import roughness
from autodiff.testing.lawbook import second_order as second_order_laws
from autodiff.testing.lawbook import values as value_laws
from autodiff.testing.problem import Problem

Kinks = Literal["accept", "error"]


@dataclass(frozen=True)
class Law:
    """A law, and where it applies.

    Attributes:
        check: raises where the law is broken.
        order: how often fun must be differentiable; 0 asks for no derivative at all.
        numerical: whether it needs a numerical derivative, hence arguments away from kinks.
        batching: whether it needs vmap.
        on_request: whether it is checked only where it is asked for by name.
        extreme: whether it is checked where numbers are very large, small or many.
        call: the call that checks it alone, for messages, where that is not `check_laws`.
        staging: whether it needs shapes alone to be recorded, as the law ``replay`` does: left out where that is.
        by_shapes: whether functions are recorded in it by shapes alone, which those that look at values cannot be.
    """

    check: Callable[[Problem], None]
    order: int = 1
    numerical: bool = False
    batching: bool = False
    staging: bool = False
    on_request: bool = False
    extreme: bool = False
    call: str = ""
    by_shapes: bool = False

    @property
    def statement(self) -> str:
        """The law in words."""
        return (self.check.__doc__ or "").strip().splitlines()[0]

    def applies_to(self, problem: Problem, order: int, batch: bool, smooth: bool, extreme: bool = False) -> bool:
        """Whether the law says anything of this problem."""
        return (
            self.order <= order
            and (problem.differentiable or self.order == 0)
            and (batch or not self.batching)
            and (smooth or not self.numerical)
            and (self.extreme or not extreme)
        )


# fmt: off
LAWS: dict[str, Law] = {
    "spec":                 Law(value_laws.spec,                        order=0, by_shapes=True),
    "replay":               Law(value_laws.replay,                      order=0, by_shapes=True),
    "compiled":             Law(compiled_laws.compiled,                 order=0, by_shapes=True, staging=True),
    "batch":                Law(batch_laws.batch,                       order=0, by_shapes=True, batching=True),
    "value":                Law(value_laws.value),
    "untouched":            Law(keeping_laws.untouched),
    "locked":               Law(keeping_laws.locked),
    "dtype":                Law(keeping_laws.dtype),
    "continuous":           Law(derivative_laws.continuous,           numerical=True, extreme=True),
    "smooth":               Law(derivative_laws.smooth,                 numerical=True, on_request=True),
    "digits":               Law(roughness.digits,                       numerical=True),
    "forward":              Law(derivative_laws.forward,                numerical=True, extreme=True),
    "reverse":              Law(derivative_laws.reverse,                numerical=True, extreme=True),
    "adjoint":              Law(derivative_laws.adjoint, extreme=True),
    "precision":            Law(keeping_laws.precision),
    "compiled gradient":    Law(compiled_laws.compiled_gradient,        by_shapes=True, staging=True),
    "batch of gradient":    Law(batch_laws.batch_of_gradient,           by_shapes=True, batching=True),
    "forward over reverse": Law(second_order_laws.forward_over_reverse, order=2, numerical=True, extreme=True),
    "reverse over reverse": Law(second_order_laws.reverse_over_reverse, order=2),
    "forward over forward": Law(second_order_laws.forward_over_forward, order=2, numerical=True),
    "reverse over forward": Law(second_order_laws.reverse_over_forward, order=2),
}
# fmt: on
"""All laws that a derivative obeys, by name, in the order in which they are checked."""


def chosen_laws(only: Iterable[str] | None, skip: Collection[str], kinks: Kinks = "accept") -> list[str]:
    """The names of the laws to check."""
    if kinks not in ("accept", "error"):
        raise ValueError(f"kinks is 'accept' or 'error', and {kinks!r} arrived")
    usual = [name for name, law in LAWS.items() if not law.on_request or kinks == "error"]
    names = [name for name in (usual if only is None else only) if name not in skip]
    return names if "replay" not in skip else [name for name in names if not LAWS[name].staging]


def check_names(names: Iterable[str]) -> None:
    """Refuse names that no law has: a law skipped by a misspelt name would not be skipped."""
    unknown = [name for name in names if name not in LAWS]
    if unknown:
        raise ValueError(f"there is no law named {', '.join(map(repr, unknown))}; the laws are {', '.join(LAWS)}")
