"""Worker processes of Dask: what they compute, and that one may be lost."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import autodiff

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install 'autodiff[dask]'")
cluster = pytest.importorskip("distributed", reason="distributed is not installed: pip install 'autodiff[dask]'")
import dask  # noqa: E402

X = np.random.default_rng(3).normal(size=(60, 4))
W = np.array([0.5, -1.0, 2.0, 0.0])


def loss(w, x):
    return np.mean(np.log1p(np.exp(-(np.tanh(x) @ w))))


def killed_once(block, flag):
    """The block; the process that is the first to ask for it dies."""
    if flag is not None and not Path(flag).exists():
        Path(flag).write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.filterwarnings("ignore")  # of the libraries, about ports and files of their own
def test_a_worker_that_is_lost_changes_nothing(tmp_path):
    flag = tmp_path / "lost"
    rows = da.from_array(X, chunks=(10, 4))
    predict = autodiff.jit(lambda x, w: x @ w, backend="numpy")

    def results(flag):
        x = rows.map_blocks(killed_once, flag, dtype=float, meta=np.empty((0, 0)))
        return *autodiff.value_and_grad(loss)(W, x), x.map_blocks(predict, W, drop_axis=1, dtype=float)

    wanted = dask.compute(*results(None), scheduler="sync")
    quiet = dask.config.set({"distributed.logging.distributed": "critical"})
    with (
        quiet,
        cluster.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        cluster.Client(workers) as client,
    ):
        before = set(client.run(os.getpid).values())
        found = client.gather(client.compute(list(results(str(flag)))))
    assert int(flag.read_text()) in before
    for one, other in zip(found, wanted, strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
