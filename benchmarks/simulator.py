"""The simulator of processes beside real ones: ``python -m benchmarks.simulator``.

Steps of two networks are recorded on two processes of this machine, where the constants of its messages are measured,
too, between two processes alone. They are replayed on two and on four processes with as many examples each, and real
steps on as many are timed. Where processes outnumber cores they take turns, in the model and in fact. The fastest
quarter of steps counts, on both sides: other programs of the machine only make steps slower.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from autodiff.distributed.simulation import Link, Network, Part, Step, replay
from benchmarks.distributed import mpiexec, settings
from benchmarks.environment import environment

GOAL = 0.2
COUNTS = (2, 4)


def main(given: list[str] | None = None) -> int:
    """Record, replay, compare; 1 if a step is further from its simulation than the goal."""
    options = arguments().parse_args(given)
    found = {count: run(count, 3 if options.quick else 30) for count in COUNTS}
    network = network_of(found[COUNTS[0]]["network"])
    print(
        f"measured: {1e6 * network.within.latency:.1f} us, {network.within.bandwidth / 1e9:.2f} GB/s, adding ", end=""
    )
    print(f"{network.adding / 1e9:.2f} GB/s, {1e6 * network.call:.0f} us a call", end="")
    print(f", {1e6 * network.switch:.0f} us a switch, {network.cores} cores\n")
    print(f"{'step':24} {'processes':>9} {'simulated':>12} {'measured':>12} {'off by':>8}")
    rows = [row for name in found[COUNTS[0]]["cases"] for row in compared(name, found, network)]
    for row in rows:
        simulated, measured = 1e3 * row["simulated"], 1e3 * row["measured"]
        print(f"{row['step']:24} {row['processes']:9} {simulated:9.2f} ms {measured:9.2f} ms {row['off']:+8.0%}")
    if options.json:
        text = {"environment": environment(), "network": network, "rows": rows}
        Path(options.json).write_text(json.dumps(text), encoding="utf-8")
    return int(not options.quick and any(abs(row["off"]) > GOAL for row in rows))


def arguments() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulator", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="does everything run? the figures mean nothing")
    parser.add_argument("--json", metavar="PATH")
    return parser


def run(count: int, rounds: int) -> Any:
    """What so many processes have found."""
    command = [mpiexec(), "-n", str(count), sys.executable, "-m", "benchmarks.processes.recorded", str(rounds)]
    environment = {**settings(), "MPIR_CVAR_CH4_CMA_ENABLE": "1"}  # one way to send, however many processes there are
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)


def network_of(found: Any) -> Network:
    """The network that process 0 has printed, with room for all processes on its machine."""
    within, between, *rest = found
    return Network(Link(*within), Link(*between), *rest)._replace(per_machine=COUNTS[-1])


def compared(name: str, found: Any, network: Network) -> list[dict[str, Any]]:
    """A network's steps, simulated from two processes and measured, for each number of processes."""
    recorded = found[COUNTS[0]]["cases"][name]["steps"]
    steps = [Step(tuple(Part(*part) for part in parts), size) for parts, size in recorded]
    steps = fastest(steps, key=lambda step: step.compute)
    rows = []
    for count in COUNTS:
        simulated = replay(steps, network, count, draws=99)
        measured = median(fastest(found[count]["cases"][name]["seconds"]))
        off = simulated / measured - 1
        rows.append({"step": name, "processes": count, "simulated": simulated, "measured": measured, "off": off})
    return rows


def fastest(found: list[Any], key: Any = None) -> list[Any]:
    """The fastest quarter."""
    return sorted(found, key=key)[: -(-len(found) // 4)]


if __name__ == "__main__":
    sys.exit(main())
