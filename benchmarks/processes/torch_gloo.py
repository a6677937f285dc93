"""Run by each process of PyTorch: the same steps with DistributedDataParallel over gloo. Process 0 prints JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from benchmarks.processes.models import MODELS, RATE, STEPS_COMPARED, inputs, seconds_of_rounds


class Network(torch.nn.Module):
    """The layers of a model, with given weights."""

    def __init__(self, parameters: Any, layers: Any) -> None:
        super().__init__()
        self.layers = layers
        self.arrays = torch.nn.ParameterList([torch.tensor(array) for pair in parameters for array in pair])

    def forward(self, x: Any) -> Any:
        remaining = iter(self.arrays)
        for kind, *numbers in self.layers:
            if kind == "pool":
                x = functional.max_pool2d(x, 2)
            elif kind == "conv":
                x = functional.relu(functional.conv2d(x, next(remaining), next(remaining), padding=numbers[-1]))
            else:
                x = functional.relu(functional.linear(x.flatten(1), next(remaining), next(remaining)))
        return functional.linear(x.flatten(1), next(remaining), next(remaining))


def main(rounds: int) -> None:
    """Measure everything, in all processes."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    found: dict[str, Any] = {"steps": {}, "losses": {}}
    for name in MODELS:
        found["steps"][name], found["losses"][name] = steps(name, rounds)
    if torch.distributed.get_rank() == 0:
        print(json.dumps(found))
    torch.distributed.destroy_process_group()


def steps(name: str, rounds: int) -> tuple[dict[str, float], list[float]]:
    """Seconds of a training step, and the losses of the first steps."""
    parameters, images, labels = inputs(name)
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    first, last = (len(images) * (rank + k) // size for k in (0, 1))
    x, t = torch.tensor(images[first:last]), torch.tensor(labels[first:last])
    network = DistributedDataParallel(Network(parameters, MODELS[name][1][1]))
    optimizer = torch.optim.SGD(network.parameters(), RATE)

    def step() -> Any:
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(x), t)
        loss.backward()
        optimizer.step()
        return loss.detach()

    losses = []
    for _ in range(STEPS_COMPARED):
        loss = step()
        torch.distributed.all_reduce(loss)
        losses.append(float(loss) / size)
    return seconds_of_rounds({"torch, gloo": step}, torch.distributed.barrier, rounds), losses


if __name__ == "__main__":
    main(int(sys.argv[1]))
