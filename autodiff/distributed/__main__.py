"""``mpiexec -n 2 python -m autodiff.distributed demo``."""

import sys

from autodiff.distributed.demo import demo

if __name__ == "__main__":
    if sys.argv[1:2] != ["demo"] or len(sys.argv) > 3:
        sys.exit("usage: mpiexec -n 2 python -m autodiff.distributed demo [PICTURE]")
    demo(picture=sys.argv[2] if len(sys.argv) == 3 else None)
