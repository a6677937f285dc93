"""Items of all fates."""

import os
import sys
import time

from autodiff.testing.gpu.item import LeftOutError


def failing(given):
    raise ValueError("seven is not six")


def crashing(given):
    sys.stderr.write("a last word\n")
    sys.stderr.flush()
    os._exit(9)


def hanging(given):
    time.sleep(60)


def lacking(given):
    raise LeftOutError("needs a second GPU")


ITEMS = {
    "first": lambda given: {"standin": given.standin},
    "failing": failing,
    "crashing": crashing,
    "hanging": hanging,
    "lacking": lacking,
    "last": lambda given: sys.stdout.write("into no pipe\n") and given.size(100, 1),
}
