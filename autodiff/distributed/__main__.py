"""``mpiexec -n 2 python -m autodiff.distributed demo``."""

import sys

from autodiff.distributed.demo import demo

if __name__ == "__main__":
    if sys.argv[1:] != ["demo"]:
        sys.exit("usage: mpiexec -n 2 python -m autodiff.distributed demo")
    demo()
