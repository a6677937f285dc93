"""Whether a primitive takes what it is applied to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autodiff.trace.parameters import Operands, shortened
from autodiff.trace.primitive import Primitive


def check_application(primitive: Primitive, operands: Operands, params: Mapping[str, Any]) -> None:
    """Refuse operands and parameters that a primitive does not take.

    Args:
        primitive: the primitive.
        operands: the specs of its operands.
        params: its parameters.

    Raises:
        ValueError: saying which of them, and what it may be.
    """
    if not primitive.variadic and len(operands) != len(primitive.operands):
        raise ValueError(f"it takes {len(primitive.operands)} operands and got {len(operands)}")
    if primitive.params is None:
        return
    for name, value in params.items():
        domain = primitive.params.get(name)
        if domain is None:
            known = ", ".join(primitive.params) or "none"
            raise ValueError(f"it has no parameter named {shortened(name)} (it has {known})")
        if not domain.holds(value, operands):
            raise ValueError(f"the parameter {name} must be {domain.text}, and is {shortened(value)}")
    for name, domain in primitive.params.items():
        if domain.needed and name not in params:
            raise ValueError(f"the parameter {name} is missing: {domain.text}")
    if primitive.check is not None:
        primitive.check(*operands, **params)
