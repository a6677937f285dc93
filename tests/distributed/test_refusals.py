"""What is refused by one process alone, with what it says."""

import sys

import numpy as np
import pytest

from autodiff import Variable, distributed, jit
from autodiff.distributed.communicator import make_world

X = np.ones(3)

REFUSED = {
    "op": (
        lambda: distributed.all_reduce(X, op="median"),
        ValueError,
        "distributed.all_reduce knows op='sum', 'mean', 'max', 'min', 'prod', got 'median' (LINE)",
    ),
    "op of reduce": (
        lambda: distributed.reduce(X, op="max"),
        ValueError,
        "distributed.reduce knows op='sum', 'mean', got 'max' (LINE)",
    ),
    "root": (
        lambda: distributed.broadcast(X, root=1),
        ValueError,
        "distributed.broadcast got root=1 (LINE); ranks are 0 to 0",
    ),
    "rows": (
        lambda: distributed.scatter(X),
        ValueError,
        "distributed.scatter got float64[3] (LINE): its first axis has a row for each of the 1 processes of world",
    ),
    "rows of a number": (
        lambda: distributed.all_to_all(1.0),
        ValueError,
        "distributed.all_to_all got float (LINE): its first axis has a row for each of the 1 processes of world",
    ),
    "pairs": (
        lambda: distributed.permute(X, [(0, 0), (0, 0)]),
        ValueError,
        "distributed.permute got pairs=[(0, 0), (0, 0)] (LINE): each of the ranks 0 to 0 sends at most once, and "
        "receives at most once",
    ),
    "mesh": (
        lambda: distributed.Mesh({"data": 2, "model": 2}),
        ValueError,
        "a mesh of {'data': 2, 'model': 2} has 4 processes, and world has 1 (LINE)",
    ),
    "axis": (
        lambda: distributed.Mesh({"data": 1})["modle"],
        KeyError,
        "\"the mesh has no axis 'modle' (LINE); it has data\"",
    ),
    "lengths": (
        lambda: distributed.data_parallel(lambda w, x, y: w)(X, np.ones((2, 3)), np.ones(5)),
        ValueError,
        "data_parallel: the arguments that are cut have lengths 2, 5 (LINE); there must be one. Say with batch= which "
        "arguments are batches",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, here):
    call, kind, text = REFUSED[name]
    with pytest.raises(kind) as caught:
        call()
    assert here(str(caught.value)) == text


@pytest.fixture
def here():
    """Replaces a line of this file in an error text."""
    import re

    return lambda text: re.sub(r"test_refusals\.py:\d+", "LINE", text)


def test_several_processes_need_mpi4py(monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "2")
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"one of several processes .* and mpi4py is not installed: pip install"
    ):
        make_world()


def test_one_process_needs_no_mpi(monkeypatch):
    for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    assert (make_world().rank, make_world().size) == (0, 1)
    assert "mpi4py.MPI" not in sys.modules


def test_one_process_gets_new_arrays_of_its_own():
    for name in ("all_reduce", "broadcast", "reduce", "barrier"):
        found = getattr(distributed, name)(X)
        assert found is not X
        assert not np.shares_memory(found, X)
        assert isinstance(getattr(distributed, name)(Variable(X)), Variable)


def test_programs_do_all_operations_in_their_order():
    def f(x):
        distributed.broadcast(np.sin(x))  # nobody needs it
        first = distributed.all_reduce(x * 1.0)
        again = distributed.all_reduce(x)
        return 0.0 * again + np.tanh(first) @ np.ones((3, 3))

    for backend in ("numpy", "auto"):
        program = jit(f, backend=backend)
        program(X)
        names = [e.primitive.name for e in program.schedule(X).equations if e.primitive.ordered]
        assert names == ["distributed_broadcast", "distributed_all_reduce", "distributed_all_reduce"]
