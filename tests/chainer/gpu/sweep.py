"""Functions of the recorded cases, run on arrays of a GPU."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import autodiff.chainer as chainer
from tests.chainer.recorded.case import seed
from tests.chainer.recorded.differentiation import drawn, flattened
from tests.chainer.recorded.names import F


@contextmanager
def configured(case: Any) -> Iterator[None]:
    """The settings of a case."""
    before = [(name, getattr(chainer.config, name)) for name in case.settings]
    try:
        for name, value in case.settings.items():
            setattr(chainer.config, name, value)
        yield
    finally:
        for name, value in before:
            setattr(chainer.config, name, value)


def run(case: Any, dtype: str, device: Any) -> dict[str, Any]:
    """Outputs, gradients and double gradients of a case on a device, as arrays of NumPy."""
    device.xp.random.seed(seed(case.name) % 2**32)
    with configured(case), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return facts(case, dtype, device)


def facts(case: Any, dtype: str, device: Any) -> dict[str, Any]:
    """The same, where the settings of the case hold."""
    arrays = case.arrays(dtype)
    variables = [
        chainer.Variable(device.send(array)) if spec.differentiable else device.send(array)
        for array, spec in zip(arrays, case.inputs, strict=True)
    ]
    outputs = flattened(case.function(*variables))
    found = {f"output {k}": fetched(output, device) for k, output in enumerate(outputs)}
    inputs = [x for x, spec in zip(variables, case.inputs, strict=True) if spec.differentiable]
    outputs = [y for y in outputs if getattr(y, "creator_node", None) is not None and y.dtype.kind == "f"]
    if not (inputs and outputs):
        return found
    cts = [chainer.Variable(device.send(drawn(f"{case.name} {k}", y))) for k, y in enumerate(outputs)]
    for name, double in (("gradient", False), ("graph", True)):
        grads = chainer.grad(outputs, inputs, grad_outputs=cts, enable_double_backprop=double)
        found.update({f"{name} {k}": fetched(g, device) for k, g in enumerate(grads)})
    total = sum(
        F.sum(g * device.send(drawn(f"{case.name} second {k}", g))) for k, g in enumerate(grads) if g is not None
    )
    if isinstance(total, chainer.Variable):
        second = chainer.grad([total], [*inputs, *cts])
        found.update({f"second {k}": fetched(g, device) for k, g in enumerate(second)})
    return found


def fetched(value: Any, device: Any) -> Any:
    """What a result holds, as an array of NumPy; it must be on the device."""
    if value is None:
        return None
    array = value.array if isinstance(value, chainer.Variable) else value
    if hasattr(array, "dtype"):
        assert device.is_array_supported(array), f"a result is a {type(array)}"
        return chainer.get_device("@numpy").send(array)
    return array
