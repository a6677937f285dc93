"""Found by processes that a program under ``python -m autodiff.chainer`` starts: gives them autodiff's modules."""

import sys

from autodiff.chainer.running.names import STANDS_FOR
from autodiff.chainer.running.setting import Setting

if __name__ in STANDS_FOR:  # not where this file is imported as a part of autodiff
    Setting.inherited().enter()
    __import__(STANDS_FOR[__name__])
    sys.modules[__name__] = sys.modules[STANDS_FOR[__name__]]
