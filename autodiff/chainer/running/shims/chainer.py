"""Found by processes that a program under ``python -m autodiff.chainer`` starts: gives them autodiff's modules."""

import sys

from autodiff.chainer.running.names import own_name
from autodiff.chainer.running.setting import Setting

Setting.inherited().enter()
name = own_name(__name__)
__import__(name)
sys.modules[__name__] = sys.modules[name]
