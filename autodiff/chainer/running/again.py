"""The script once more, in a process that multiprocessing has started: what it defines can be unpickled there.

The main module of the first process says in its ``__spec__`` that it is this module.
"""

import os

from autodiff.chainer.running.errors import SCRIPT
from autodiff.chainer.running.setting import Setting

if __name__ == "__mp_main__":
    setting = Setting.inherited()
    setting.enter()
    __file__ = os.environ[SCRIPT]
    exec(setting.code_of(__file__), globals())
