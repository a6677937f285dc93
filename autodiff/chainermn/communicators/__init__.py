"""Communicators, by ChainerMN's names."""

from autodiff.chainermn.communicators.communicator_base import CommunicatorBase
from autodiff.chainermn.communicators.creation import create_communicator

__all__ = ["CommunicatorBase", "create_communicator"]
