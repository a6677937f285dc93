"""Run by `mpiexec`: the collective operations of processes that have no memory in common to meet in.

`mpiexec -n 3 python -m tests.distributed.programs.by_messages 2 1` tries two random programs as more than one process
does them that leave it to MPI who sends to whom.
"""

import sys

from autodiff.distributed import exchanges, meetings, sums

if __name__ == "__main__":
    meetings.shared_memory = lambda *_: None
    for module in (exchanges, meetings, sums):
        module.DIRECT = int(sys.argv[2])
    from tests.distributed.programs import collectives

    collectives.main(int(sys.argv[1]))
    assert isinstance(collectives.comm.meeting, meetings.MeetingByMessages)
    assert bool(collectives.comm.meeting.receives) == (collectives.comm.size <= meetings.DIRECT)
