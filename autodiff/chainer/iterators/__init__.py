"""Iterators over the batches of a dataset: in this thread, in threads, in processes."""

from autodiff.chainer.iterators.dali_iterator import DaliIterator
from autodiff.chainer.iterators.multiprocess_iterator import MultiprocessIterator
from autodiff.chainer.iterators.multithread_iterator import MultithreadIterator
from autodiff.chainer.iterators.order_samplers import OrderSampler, ShuffleOrderSampler
from autodiff.chainer.iterators.serial_iterator import SerialIterator

__all__ = [
    "DaliIterator",
    "MultiprocessIterator",
    "MultithreadIterator",
    "OrderSampler",
    "SerialIterator",
    "ShuffleOrderSampler",
]
