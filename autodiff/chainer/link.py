"""Links: parameters with functions that use them, and links made of links."""

from autodiff.chainer import sequential  # noqa: F401 - it completes Link by repeat()
from autodiff.chainer.chain import Chain
from autodiff.chainer.chain_list import ChainList
from autodiff.chainer.link_base import Link

__all__ = ["Chain", "ChainList", "Link"]
