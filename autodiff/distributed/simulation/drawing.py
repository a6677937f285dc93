"""A step recorded on the present processes, and how it scales: ``python -m autodiff.distributed scaling``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import autodiff
from autodiff.distributed.communicator import world
from autodiff.distributed.data_parallel import data_parallel
from autodiff.distributed.simulation.network import CLUSTER, ETHERNET, Network
from autodiff.distributed.simulation.recording import record_steps
from autodiff.distributed.simulation.scaling import Scaling, bend, strong_scaling, weak_scaling
from autodiff.distributed.simulation.steps import Step

WIDTHS, EXAMPLES, BUCKET = (784, 1000, 1000, 10), 128, 1 << 20
LINES: tuple[tuple[str, Network, str, str], ...] = (
    ("100 Gbit/s, own", CLUSTER, "own", "-"),
    ("100 Gbit/s, ring", CLUSTER, "ring", "-"),
    ("100 Gbit/s, tree", CLUSTER, "tree", "-"),
    ("100 Gbit/s, hierarchical", CLUSTER, "hierarchical", "-"),
    ("10 Gbit/s, own", ETHERNET, "own", "--"),
    ("10 Gbit/s, hierarchical", ETHERNET, "hierarchical", "--"),
)


def example_steps(times: int = 20) -> list[Step]:
    """Training steps of a perceptron in data parallel, 128 examples to each process; the fastest quarter of them."""
    rng = np.random.default_rng(0)
    parameters = [rng.normal(0, a**-0.5, (a, b)).astype(np.float32) for a, b in pairwise(WIDTHS)]
    x = rng.normal(size=(EXAMPLES * world().size, WIDTHS[0])).astype(np.float32)

    def loss(parameters: Any, x: Any) -> Any:
        for weights in parameters[:-1]:
            x = np.maximum(x @ weights, 0)
        return np.mean((x @ parameters[-1]) ** 2)

    gradient = data_parallel(autodiff.jit(autodiff.grad(loss)), bucket=BUCKET)

    def step() -> Any:
        return [p - np.float32(0.01) * g for p, g in zip(parameters, gradient(parameters, x), strict=True)]

    found = record_steps(step, times=times)
    return sorted(found, key=lambda step: step.compute)[: -(-len(found) // 4)]


def show_scaling(picture: str | None = None) -> None:
    """Record the example, print how it scales, and draw it.

    Args:
        picture: a file for the picture; none if None.
    """
    steps = example_steps()
    if world().rank:
        return
    middle = sorted(step.compute for step in steps)[len(steps) // 2]
    sent = sum(part.nbytes for part in steps[0].parts)
    print(f"a step computes {1e3 * middle:.2f} ms in each process and sums {sent / 1e6:.2f} MB over all of them")
    rows: dict[str, dict[str, list[Scaling]]] = {"weak": {}, "strong": {}}
    for label, network, algorithm, _ in LINES:
        rows["weak"][label] = weak_scaling(steps, network, algorithm=algorithm)
        rows["strong"][label] = strong_scaling(steps, network, algorithm=algorithm)
    for kind, lines in rows.items():
        print(f"{kind} scaling: the efficiency, and the number of processes of which half is lost")
        for label, found in lines.items():
            at = ", ".join(f"{row.processes}: {row.efficiency:.2f}" for row in found[2::3])
            print(f"  {label:26} {at}; bends at {bend(found) or 'none of them'}")
    if picture is not None:
        draw(picture, rows, f"{1e3 * middle:.1f} ms of computing, {sent / 1e6:.1f} MB of gradients")


def draw(path: str, rows: dict[str, dict[str, list[Scaling]]], step: str) -> None:
    """A picture of efficiencies."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError("the picture needs matplotlib: pip install 'autodiff[demo,mpi]'") from None
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    titles = (f"Weak scaling: {step} a process", "Strong scaling: the batch of two processes")
    for ax, title, lines in zip(axes, titles, rows.values(), strict=True):
        plot(ax, lines)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("processes, 16 to a machine")
    axes[0].set_ylabel("efficiency")
    axes[1].legend(fontsize=7)
    figure.savefig(path, dpi=110)
    print(f"picture: {path}")


def plot(ax: Any, lines: dict[str, list[Scaling]]) -> None:
    """The lines of one kind of scaling, and where half is lost."""
    for (label, found), (_, _, algorithm, style) in zip(lines.items(), LINES, strict=True):
        color = {"own": "C3", "ring": "C0", "tree": "C2", "hierarchical": "C1"}[algorithm]
        ax.plot([row.processes for row in found], [row.efficiency for row in found], style, color=color, label=label)
    ax.axhline(0.5, color="0.7", linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.set_xticks([row.processes for row in found][::2], [str(row.processes) for row in found][::2])
    ax.set_ylim(0, 1.02)
