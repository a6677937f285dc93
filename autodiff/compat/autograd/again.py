"""The script once more, in a process that multiprocessing has started: what it defines can be unpickled there.

The main module of the first process says in its ``__spec__`` that it is this module.
"""

import os

from autodiff.compat.autograd.names import SCRIPT, install
from autodiff.running.script import compiled

if __name__ == "__mp_main__":
    install()
    __file__ = os.environ[SCRIPT]
    exec(compiled(__file__), globals())
