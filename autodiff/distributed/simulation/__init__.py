"""How the time of a step grows with the number of processes: its events, replayed in a model of a network.

Record a step on two processes or more, and replay it on up to thousands: messages take a latency and the time of their
bytes, links are shared, processes wait for the slowest.

>>> step = Step((Part(0.1, "all_reduce", 100_000_000),), size=2)
>>> for row in weak_scaling([step], CLUSTER, processes=(2, 64, 4096), algorithm="hierarchical"):
...     print(row.processes, f"{row.seconds:.3f} s, efficiency {row.efficiency:.2f}")
2 0.119 s, efficiency 0.84
64 0.175 s, efficiency 0.57
4096 0.180 s, efficiency 0.56
"""

from autodiff.distributed.simulation.measuring import measure_network
from autodiff.distributed.simulation.network import CLUSTER, ETHERNET, Link, Network
from autodiff.distributed.simulation.recording import record_steps
from autodiff.distributed.simulation.replay import replay
from autodiff.distributed.simulation.scaling import Scaling, bend, strong_scaling, weak_scaling
from autodiff.distributed.simulation.steps import Part, Step

__all__ = [
    "CLUSTER",
    "ETHERNET",
    "Link",
    "Network",
    "Part",
    "Scaling",
    "Step",
    "bend",
    "measure_network",
    "record_steps",
    "replay",
    "strong_scaling",
    "weak_scaling",
]
