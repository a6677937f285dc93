"""A process beside those of a machine, run as a file: says which of them was the first that was killed.

Launchers kill all processes as soon as one is gone, and may not say which one that was. Each process holds a pipe open,
and says goodbye through it. The kernel lists pipes in the order in which they were closed.
"""

import os
import select
import sys


def guard(folder: str, texts: list[str]) -> None:
    """Wait until all processes have said goodbye, or one is gone without a word.

    Args:
        folder: where their pipes are, named by numbers.
        texts: what to say of each.
    """
    poll, pipes = select.epoll(), {}
    for number, text in enumerate(texts):
        pipe = os.open(os.path.join(folder, str(number)), os.O_RDONLY | os.O_NONBLOCK)
        pipes[pipe] = text
        poll.register(pipe, select.EPOLLIN | select.EPOLLHUP)
    os.write(1, b"!")
    os.close(1)
    while pipes:
        for pipe, _ in poll.poll():
            word = os.read(pipe, 16)
            if word == b"failed":
                return
            if not word:
                sys.stderr.write(f"{pipes[pipe]} was killed\n")
                return
            poll.unregister(pipe)
            del pipes[pipe]


if __name__ == "__main__":
    guard(sys.argv[1], sys.argv[2:])
