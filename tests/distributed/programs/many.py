"""Run by `mpiexec`: the collective operations as more processes do them, which leave it to MPI who sends to whom."""

import sys

from autodiff.distributed import exchanges, meetings, sums

if __name__ == "__main__":
    for module in (exchanges, meetings, sums):
        module.DIRECT = 1
    from tests.distributed.programs import collectives

    collectives.main(int(sys.argv[1]))
    assert not collectives.comm.meeting.receives
