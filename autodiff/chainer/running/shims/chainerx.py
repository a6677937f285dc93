"""Found by processes that a program under ``python -m autodiff.chainer`` starts: gives them autodiff's modules."""

import sys

from autodiff.chainer.running.names import NAMES
from autodiff.chainer.running.setting import Setting

if __name__ in NAMES.stands_for:  # not where this file is imported as a part of autodiff
    Setting.inherited().enter()
    __import__(NAMES.stands_for[__name__])
    sys.modules[__name__] = sys.modules[NAMES.stands_for[__name__]]
