"""Steps replayed in a model of a network: against formulas, and against messages followed one by one."""

import itertools

import numpy as np
import pytest

from autodiff.distributed import simulation
from autodiff.distributed.events import WAIT, Event
from autodiff.distributed.simulation import CLUSTER, Link, Network, Part, Step, replay
from autodiff.distributed.simulation.clocks import Round
from autodiff.distributed.simulation.steps import step_of

N = 8_000_000
LATENCY, BANDWIDTH, ADDING, CALL = 3e-6, 2e9, 5e9, 2e-5
ONE_EACH = Network(Link(0, 1e30), Link(LATENCY, BANDWIDTH), per_machine=1, adding=ADDING, call=CALL)


def step(*parts, size=2):
    return Step(tuple(parts), size)


def all_reduce(network, processes, algorithm, nbytes=N):
    return replay([step(Part(0.0, "all_reduce", nbytes))], network, processes, algorithm)


@pytest.mark.parametrize("processes", [2, 4, 8, 64])
def test_formulas_of_one_process_on_each_machine(processes):
    part, levels = N / processes, int(np.ceil(np.log2(processes)))
    ring = 2 * (processes - 1) * (LATENCY + part / BANDWIDTH) + (processes - 1) * part / ADDING
    assert all_reduce(ONE_EACH, processes, "ring") == pytest.approx(CALL + ring)
    assert all_reduce(ONE_EACH, processes, "hierarchical") == pytest.approx(CALL + ring)
    tree = 2 * levels * (LATENCY + N / BANDWIDTH) + levels * N / ADDING
    assert all_reduce(ONE_EACH, processes, "tree") == pytest.approx(CALL + tree)
    few = processes <= 8  # those send to each other, and all messages are under way at once
    rounds = 1 if few else levels
    blocks = rounds * LATENCY + 1024 * (processes - 1) / BANDWIDTH
    assert all_reduce(ONE_EACH, processes, "own", nbytes=1008) == pytest.approx(CALL + blocks)
    if few:
        larger = LATENCY + 4160 * (processes - 1) / BANDWIDTH
        assert all_reduce(ONE_EACH, processes, "own", nbytes=4096) == pytest.approx(CALL + larger)
    small = blocks + rounds * LATENCY + 50_000 * (processes - 1) * (1 / BANDWIDTH + 1 / ADDING)
    if 50_000 * processes <= 1 << 19:
        assert all_reduce(ONE_EACH, processes, "own", nbytes=50_000) == pytest.approx(CALL + small)
    parts = (processes - 1) * part * (2 / BANDWIDTH + 1 / ADDING) + (2 if few else processes) * LATENCY
    assert all_reduce(ONE_EACH, processes, "own") == pytest.approx(CALL + blocks + parts)


@pytest.mark.parametrize("processes", [2, 4, 16])
def test_formulas_of_one_machine(processes):
    copying, adding, latency, others = 4e9, 8e9, 1e-6, processes - 1
    network = Network(Link(latency, 1e9), Link(1, 1), processes, adding=adding, call=CALL, copying=copying)
    held = (1 << 19) // processes
    gathered = CALL + latency + held / copying + others * held / adding
    assert all_reduce(network, processes, "own", nbytes=held) == pytest.approx(gathered)
    turns, part = 4, N / processes  # two of 4 MiB, one before them for the steps, one in which the last is read
    added = turns * latency + part / copying * (2 * others + 1) + part / adding * others
    assert all_reduce(network, processes, "own") == pytest.approx(CALL + latency + added)
    shown = CALL + latency + processes * held / copying
    assert replay([step(Part(0.0, "all_gather", held))], network, processes) == pytest.approx(shown)
    crowded = network._replace(cores=processes // 2, switch=1e-3)
    waited = CALL + crowded.switch + 2 * (gathered - CALL)  # two processes on each core
    assert all_reduce(crowded, processes, "own", nbytes=held) == pytest.approx(waited)


def test_links_are_shared_by_the_processes_of_a_machine():
    network = Network(Link(1e-6, 4e9), Link(2e-6, 12e9), per_machine=4, memory=8e9, adding=np.inf, call=0.0)
    inside = all_reduce(network, 4, "ring")
    assert inside == pytest.approx(6 * (1e-6 + N / 4 / 2e9))  # four messages at once share the memory
    between = all_reduce(network._replace(per_machine=1), 4, "ring")
    assert between == pytest.approx(6 * (2e-6 + N / 4 / 12e9))
    two_levels = 6 * (1e-6 + N / 4 / 2e9) + 2 * (2e-6 + N / 8 / 3e9)  # all four cross at once
    assert all_reduce(network, 8, "hierarchical") == pytest.approx(two_levels)
    block, once = all_reduce(network, 8, "own", nbytes=8), 4 * 1e-6  # messages of a process are under way at once
    assert all_reduce(network, 8, "own") == pytest.approx(two_levels + block - once)


def test_processes_take_turns_where_they_outnumber_cores():
    network = Network(Link(1e-6, 4e9), Link(1e-6, 4e9), per_machine=4, adding=np.inf, call=0.0, cores=2)
    one = step(Part(0.5, "all_reduce", N))
    assert replay([one], network, 2, "ring") == pytest.approx(0.5 + 2 * (1e-6 + N / 2 / 4e9))
    assert replay([one], network, 4, "ring") == pytest.approx(2 * (0.5 + 6 * (1e-6 + N / 4 / 4e9)))


def followed(network, source, nbytes, clock):
    """The clocks after a round of messages, one message after the other."""
    machine = [rank // network.per_machine for rank in range(len(source))]
    messages = [(int(a), b) for b, a in enumerate(source) if a >= 0]
    far = [(a, b) for a, b in messages if machine[a] != machine[b]]
    received, sent = list(clock), list(clock)
    for a, b in messages:
        if machine[a] == machine[b]:
            inside = sum(machine[c] == machine[d] == machine[a] for c, d in messages)
            moving = nbytes / min(network.within.bandwidth, network.memory / inside)
            latency = network.within.latency
        else:
            busiest = max(sum(machine[c] == machine[a] for c, _ in far), sum(machine[d] == machine[b] for _, d in far))
            moving, latency = nbytes * busiest / network.between.bandwidth, network.between.latency
        received[b] = max(clock[a], clock[b]) + latency + moving
        sent[a] = clock[a] + moving
    return np.maximum(received, sent)


def test_rounds_against_messages_one_by_one():
    rng = np.random.default_rng(0)
    network = Network(Link(1e-3, 3e3), Link(4e-3, 5e3), per_machine=3, memory=7e3)
    for _ in range(50):
        size = int(rng.integers(2, 11))
        source = np.where(rng.random(size) < 0.3, -1, rng.permutation(size))
        source[source == np.arange(size)] = -1
        clock, nbytes = rng.random(size), float(rng.integers(1, 9000))
        wanted = followed(network, source, nbytes, clock)
        np.testing.assert_allclose(Round(network, source, nbytes).after(clock), wanted, rtol=1e-12)


def test_everybody_waits_for_the_slowest():
    slow, fast = step(Part(2.0, "barrier"), Part(0.5)), step(Part(1.0, "barrier"), Part(0.5))
    assert replay([slow, fast], ONE_EACH, 64) == pytest.approx(2.5, abs=1e-3)
    assert replay([fast], ONE_EACH, 64) == pytest.approx(1.5, abs=1e-3)
    assert 1.5 < replay([slow, fast, fast, fast], ONE_EACH, 2, draws=51) < 2.6


def test_what_leaves_early_is_hidden_where_messages_move_by_themselves():
    early = step(Part(0.1, "all_reduce", N, overlapped=True), Part(1.0, WAIT), Part(0.1))
    last = step(Part(1.1, "all_reduce", N, overlapped=True), Part(0.0, WAIT), Part(0.1))
    blocking = step(Part(1.1, "all_reduce", N), Part(0.1))
    whole = replay([blocking], ONE_EACH, 8)
    assert replay([early], ONE_EACH, 8) == pytest.approx(1.2)
    assert replay([last], ONE_EACH, 8) == pytest.approx(whole)
    assert replay([early], ONE_EACH._replace(alone=False), 8) == pytest.approx(whole)
    two = step(*[Part(0.0, "all_reduce", N, overlapped=True)] * 2, Part(0.0, WAIT))
    assert replay([two], ONE_EACH, 8) == pytest.approx(2 * (whole - 1.2))  # one after the other


@pytest.mark.parametrize(
    "name", ["all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "permute"]
)
def test_every_operation_takes_longer_with_more_bytes_and_on_slower_networks(name):
    def seconds(nbytes, network=CLUSTER):
        return replay([step(Part(0.0, name, nbytes))], network, 32)

    assert 0 < seconds(1000) < seconds(1_000_000) < seconds(4_000_000) < seconds(4_000_000, simulation.ETHERNET)


def test_scaling_bends():
    rows = simulation.strong_scaling([step(Part(1.0, "all_reduce", N))], CLUSTER, algorithm="hierarchical", serial=0.01)
    efficiencies = [row.efficiency for row in rows]
    assert [row.processes for row in rows] == [2**k for k in range(1, 13)]
    assert all(a > b for a, b in itertools.pairwise(efficiencies))
    at = simulation.bend(rows)
    assert efficiencies[int(np.log2(at)) - 1] < 0.5 <= efficiencies[int(np.log2(at)) - 2]
    assert simulation.bend([simulation.Scaling(2, 1.0, 0.9), simulation.Scaling(4, 1.0, 0.7)], efficiency=0.8) == 4
    weak = simulation.weak_scaling([step(Part(1.0, "all_reduce", N))], CLUSTER, (1, 2, 4096), "hierarchical")
    assert weak[0].efficiency == 1.0
    assert simulation.bend(weak) is None


def test_steps_of_events():
    events = [
        Event("all_reduce", 4000, 2, begun=1.5, met=1.6, done=2.5, overlapped=True),
        Event(WAIT, 0, 2, begun=2.0, met=2.0, done=2.75, moving=0.625),
        Event("broadcast", 16, 2, begun=1.0, met=1.125, done=1.25),
    ]
    assert step_of(events, begun=0.5, done=3.0, size=2) == step(
        Part(0.5, "broadcast", 16), Part(0.125, "all_reduce", 4000, True), Part(0.0, WAIT), Part(0.25)
    )


REFUSED = {
    "algorithm": (
        lambda: all_reduce(CLUSTER, 2, "star"),
        "there is no simulation of 'all_reduce' by the algorithm 'star'",
    ),
    "operation": (
        lambda: replay([step(Part(0.0, "sort", 8))], CLUSTER, 2),
        "there is no simulation of 'sort' by the algorithm 'own': operations are all_reduce, all_gather,",
    ),
    "machines": (
        lambda: all_reduce(CLUSTER, 24, "hierarchical"),
        "24 processes are not a number of machines with 16 processes each",
    ),
    "steps": (
        lambda: replay([step(Part(1.0)), step(Part(1.0, "barrier"))], CLUSTER, 2),
        "replay needs steps that do the same operations",
    ),
    "none": (lambda: replay([], CLUSTER, 2), "replay needs steps that do the same operations"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, text = REFUSED[name]
    with pytest.raises(ValueError, match=text):
        call()
