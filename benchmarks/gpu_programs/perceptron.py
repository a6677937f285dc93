"""A training step of a multilayer perceptron with Adam: launches in a small one, matrix products in a wide one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.compiled_programs.perceptron import DECAY_1, DECAY_2, EPSILON, RATE, Perceptron
from benchmarks.gpu_programs.program import DeviceProgram, DeviceRow

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function

MANY_UNITS = 1 << 22
"""Hidden units of all examples, of which some are zero but for rounding."""


class DevicePerceptron(DeviceProgram, Perceptron):
    """Loss and the updated parameters, moments and step count, in the memory of the old ones where a library can."""

    rows = (  # type: ignore[assignment]
        DeviceRow("784-1000-1000-10 batch 128", (128, (784, 1_000, 1_000, 10)), (4, (9, 7, 5, 3)), donated=(0,)),
        DeviceRow("4096 wide batch 4096", (4_096, (4_096, 4_096, 4_096, 10)), (6, (8, 8, 8, 4)), donated=(0,)),
        DeviceRow(
            "784-1000-1000-10 batch 96, the last", (96, (784, 1_000, 1_000, 10)), (3, (9, 7, 5, 3)), donated=(0,)
        ),
        DeviceRow(
            "4096 wide batch 4096 TF32",
            (4_096, (4_096, 4_096, 4_096, 10)),
            (6, (8, 8, 8, 4)),
            donated=(0,),
            precision="TF32",
        ),
        DeviceRow("64-32-10 batch 32", (32, (64, 32, 10)), (4, (6, 5, 3)), replayed=True, donated=(0,)),
    )

    def allowed(self, row: DeviceRow) -> float:
        """The largest difference.

        Among millions of hidden units some lie so near to zero that they are switched on in one precision and off in
        another: one more example of the batch is in a mean then, or one less.
        """
        batch, widths = row.parameters
        return max(super().allowed(row), batch**-0.5 if batch * max(widths) >= MANY_UNITS else 2.5 * RATE)

    def operations(self, row: DeviceRow) -> int:
        """Each weight meets each example forward and twice backward, those of the first layer once."""
        batch, widths = row.parameters
        weights = [one * other for one, other in pairwise(widths)]
        return 2 * batch * (3 * sum(weights) - weights[0])

    def cupy(self, cupy: Any, row: DeviceRow) -> Function:
        def updated(parameter: Any, gradient: Any, mean: Any, square: Any, steps: Any) -> tuple[Any, Any, Any]:
            mean = DECAY_1 * mean + (1 - DECAY_1) * gradient
            square = DECAY_2 * square + (1 - DECAY_2) * gradient**2
            unbiased = mean / (1 - DECAY_1**steps), square / (1 - DECAY_2**steps)
            return parameter - RATE * unbiased[0] / (cupy.sqrt(unbiased[1]) + EPSILON), mean, square

        def step(state: Any, x: Any, labels: Any) -> Any:
            value, gradients = derivative(cupy, state["parameters"], x, labels)
            steps = state["steps"] + 1
            after: Any = {"parameters": [], "means": [], "squares": [], "steps": steps}
            for layers in zip(state["parameters"], gradients, state["means"], state["squares"]):
                arrays = [updated(*each, steps) for each in zip(*layers)]
                for key, layer in zip(("parameters", "means", "squares"), zip(*arrays)):
                    after[key].append(list(layer))
            return after, value

        return step


def derivative(cupy: Any, parameters: Any, x: Any, labels: Any) -> tuple[Any, list[Any]]:
    """The loss and its gradients, by hand."""
    examples, activations = cupy.arange(len(labels)), [x]
    for weights, bias in parameters[:-1]:
        activations.append(cupy.maximum(activations[-1] @ weights + bias, 0))
    weights, bias = parameters[-1]
    shifted = activations[-1] @ weights + bias
    shifted -= cupy.max(shifted, axis=1, keepdims=True)
    exponentials = cupy.exp(shifted)
    sums = cupy.sum(exponentials, axis=1, keepdims=True)
    value = cupy.mean(cupy.log(sums[:, 0]) - shifted[examples, labels])
    cotangent = exponentials / sums
    cotangent[examples, labels] -= 1
    cotangent /= len(labels)
    gradients = []
    for number in reversed(range(len(parameters))):
        gradients.append([activations[number].T @ cotangent, cupy.sum(cotangent, axis=0)])
        if number:
            cotangent = (cotangent @ parameters[number][0].T) * (activations[number] > 0)
    return value, gradients[::-1]
