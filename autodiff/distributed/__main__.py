"""``mpiexec -n 2 python -m autodiff.distributed demo``, or ``scaling``."""

import sys
from collections.abc import Callable

from autodiff.distributed.demo import demo
from autodiff.distributed.simulation.drawing import show_scaling

COMMANDS: dict[str, Callable[[str | None], object]] = {
    "demo": lambda picture: demo(picture=picture),
    "scaling": show_scaling,
}

if __name__ == "__main__":
    if sys.argv[1:2] not in ([name] for name in COMMANDS) or len(sys.argv) > 3:
        sys.exit("usage: mpiexec -n 2 python -m autodiff.distributed demo|scaling [PICTURE]")
    COMMANDS[sys.argv[1]](sys.argv[2] if len(sys.argv) == 3 else None)
