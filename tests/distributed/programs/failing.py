"""Run by `mpiexec`: one process fails in the middle of training, in the way that the first argument says.

With `resume` it goes on from the checkpoint in the folder of the second argument, and compares with an undisturbed run.
"""

import os
import signal
import sys

import numpy as np

from autodiff import distributed
from autodiff.distributed import sums

comm = distributed.world()
STEPS, LAST = 6, comm.size - 1


def step(w, number):
    return w - 0.1 * distributed.all_reduce(np.cos(w * (comm.rank + 1) + number), op="mean")


def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def main(how, folder):
    w = undisturbed = np.ones(500)
    for number in range(STEPS):
        undisturbed = step(undisturbed, number)
    first = 0
    if how == "resume":
        state = distributed.load(folder, {"number": 0, "w": w})
        first, w = state["number"] + 1, state["w"]
    for number in range(first, STEPS):
        if number == 3 and comm.rank == LAST:
            if how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "raise":
                raise OverflowError("this one")
            if how == "leave":
                sys.exit()
        if number == 3 and how == "kill while adding":  # others wait in memory that all share
            if comm.rank == LAST:
                sums.total = killed
            distributed.all_reduce(np.ones(1_300_001))
        w = step(w, number)
        distributed.save(folder, {"number": number, "w": w})
    if comm.rank == 0:
        same = "the same bits" if w.tobytes() == undisturbed.tobytes() else "other bits"
        sys.stdout.write(f"from {first}, {same}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
