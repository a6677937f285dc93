"""Memory that a gradient frees is there for the next one: few pages come fresh from the system."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np, autodiff
from autodiff.trace.memory import system

def chain(x):
    for _ in range(20):
        x = np.tanh(x) + 0.5
    return np.sum(x)

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

gradient, x = autodiff.grad(chain), np.linspace(-1, 1, 100_000)
for _ in range(3):
    gradient(x)
before = faults()
for _ in range(5):
    gradient(x)
print((faults() - before) / 5)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other rules")
def test_the_next_gradient_takes_few_fresh_pages():
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC", "AUTODIFF"))}
    out = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment)
    pages = 40 * 100_000 * 8 / os.sysconf("SC_PAGE_SIZE")
    assert float(out.stdout) < pages / 20
