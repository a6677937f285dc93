"""Several processes beside bare mpi4py and PyTorch: ``python -m benchmarks.distributed``.

Collective operations of arrays of 8 bytes to 2 MB, and steps of two networks in data parallel on two processes, each
with one thread: sent at the end of the backward pass or in buckets while it goes on.

Nobody but the processes moves bytes here, and they share the machine's memory. So the bound of a step is its time
without messages, both processes at once, and the time in which the least bytes of an all-reduce are read and written:
of N bytes each of P processes reads its part of all arrays (N), writes that (N / P), and copies the other parts (2 N
(P - 1) / P), at the measured bandwidth of copies. Efficiency is the bound over the step. How much of the speed of one
process alone a step without messages has, is said, too.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.environment import environment
from benchmarks.interpreter import ROOT
from benchmarks.threads import variables

OVERHEAD, SMALL, SMALL_COST = 1.1, 1 << 16, 2e-6
TORCH_GOAL, EFFICIENCY_GOAL = 0.7, 0.9


def main(given: list[str] | None = None) -> int:
    """Measure, print, write; 1 if losses of the libraries differ."""
    options = arguments().parse_args(given)
    rounds = 2 if options.quick else 15
    ours = run_ours(options.processes, rounds)
    peer = run_torch(options.torch_python, options.processes, rounds) if options.torch_python else None
    print_collectives(ours["collectives"])
    for name, taken in ours["steps"].items():
        least = ours["gradients"][name] * (1 + (2 * options.processes - 1) / options.processes) / ours["memory"]
        print_steps(name, taken, peer, least)
    if options.json:
        Path(options.json).write_text(json.dumps({"environment": environment(), "autodiff": ours, "torch": peer}))
    return int(peer is not None and not alike(ours["losses"], peer["losses"]))


def arguments() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distributed", description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--torch-python", help="a Python that has PyTorch, which takes part then")
    parser.add_argument("--quick", action="store_true", help="does everything run? the figures mean nothing")
    parser.add_argument("--json", metavar="PATH")
    return parser


def settings() -> dict[str, str]:
    """The environment of every process."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, **variables(1), "PYTHONPATH": path}


def mpiexec() -> str:
    """The launcher beside this Python, or that of the path."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else "mpiexec"


def run_ours(processes: int, rounds: int) -> Any:
    """What process 0 of autodiff's has found."""
    command = [mpiexec(), "-n", str(processes), sys.executable, "-m", "benchmarks.processes.ours", str(rounds)]
    return json.loads(subprocess.run(command, env=settings(), check=True, stdout=subprocess.PIPE).stdout)


def run_torch(python: str, processes: int, rounds: int) -> Any:
    """What process 0 of PyTorch's has found."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(probe.getsockname()[1]), "WORLD_SIZE": str(processes)}
    command = [python, "-m", "benchmarks.processes.torch_gloo", str(rounds)]
    running = [
        subprocess.Popen(command, env={**settings(), **place, "RANK": str(rank)}, stdout=subprocess.PIPE)
        for rank in range(processes)
    ]
    outputs = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise RuntimeError(f"a process of PyTorch has failed: {' '.join(command)}")
    return json.loads(outputs[0])


def print_collectives(found: dict[str, dict[str, float]]) -> None:
    """Ours beside bare mpi4py: into a new array, as ours, and into one that is kept."""
    print(f"{'collective operation':30} {'autodiff':>10} {'mpi4py':>10} {'kept':>10} {'ratio':>7}")
    for name, taken in found.items():
        ours, bare, kept = taken["autodiff"], taken["mpi4py"], taken["mpi4py, array kept"]
        large = int(name.split(", ")[1].split()[0]) >= SMALL
        met = ours <= OVERHEAD * bare if large else ours <= bare + SMALL_COST
        times = f"{1e6 * ours:8.1f}us {1e6 * bare:8.1f}us {1e6 * kept:8.1f}us"
        print(f"{name:30} {times} {ours / bare:7.2f} {'met' if met else 'missed'}")


def print_steps(name: str, taken: dict[str, float], peer: Any, least: float) -> None:
    """A model's steps: what messages cost, what the machine allows, and how long PyTorch takes."""
    print(f"\n{name}: memory alone takes {1e3 * least:.2f} ms to add up the gradients")
    taken = dict(taken)
    for kind in ("eager", "jit"):
        bound = taken.pop(f"{kind}, alone") / taken[f"{kind}, no messages"]
        print(f"  {kind}: both processes at once, without messages, are at {bound:4.2f} of the speed of one alone")
    torch = peer["steps"][name]["torch, gloo"] if peer else None
    for way, seconds in taken.items():
        kind = way.split(",")[0]
        bound = taken[f"{kind}, no messages"] + (0 if way.endswith("no messages") else least)
        efficiency = bound / seconds
        text = f"  {way:28} {1e3 * seconds:8.2f} ms   efficiency {efficiency:4.2f}"
        print(text + (f"   / torch {seconds / torch:4.2f}" if torch else ""))
    if torch:
        print(f"  {'torch, gloo':28} {1e3 * torch:8.2f} ms")
    print(f"  goals: efficiency {EFFICIENCY_GOAL}, {TORCH_GOAL} of torch's time")


def alike(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> bool:
    """Whether the losses of the first steps agree."""
    gaps = {
        name: max(abs(a - b) / abs(b) for a, b in zip(found, theirs[name], strict=True)) for name, found in ours.items()
    }
    for name, gap in gaps.items():
        if gap > 1e-3:
            print(f"{name}: the losses of autodiff and PyTorch differ by {gap:.1e}")
    return max(gaps.values()) <= 1e-3


if __name__ == "__main__":
    sys.exit(main())
