"""The benchmark of the simulation: what it compares with what."""

import pytest

from autodiff.distributed.simulation import Link, Network
from benchmarks.simulator import compared, fastest, network_of

LINK = (1e-6, 4e9)
NETWORK = [LINK, LINK, 2, float("inf"), 1e30, 0.0, 2, False]


def test_networks_have_room_for_all_processes():
    found = network_of(NETWORK)
    assert found == Network(Link(*LINK), Link(*LINK), 4, float("inf"), 1e30, 0.0, 2, False)


def test_the_fastest_quarter_counts():
    assert fastest([5.0, 1.0, 3.0, 2.0, 4.0]) == [1.0, 2.0]
    assert fastest([7]) == [7]


def test_simulated_and_measured_steps():
    steps = [[[[seconds, "all_reduce", 0, False]], 2] for seconds in (0.5, 9.0, 9.0, 9.0)]
    found = {
        2: {"cases": {"one": {"steps": steps, "seconds": [0.4, 7.0, 8.0]}}},
        4: {"cases": {"one": {"steps": [], "seconds": [1.25]}}},
    }
    two, four = compared("one", found, network_of(NETWORK))
    assert (two["processes"], four["processes"]) == (2, 4)
    assert two["simulated"] == pytest.approx(0.5, rel=1e-4)
    assert two["off"] == pytest.approx(0.25, rel=1e-3)
    assert four["simulated"] == pytest.approx(1.0, rel=1e-4)  # two cores
    assert four["off"] == pytest.approx(-0.2, rel=1e-3)
