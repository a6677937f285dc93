"""The tests of kernels on the device: one item for each file, run by pytest in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

from autodiff.testing.gpu.item import Given, Item, LeftOutError, Said, check
from autodiff.testing.gpu.stages import CHECKOUT, TESTS

OPTIONS = ("-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:randomly")
DEVICE, STANDIN = ("-p", "tests.backends.cupy.on_device"), ("-p", "tests.standin.everywhere")
NO_TESTS = 5
"""The status of pytest where all tests of a file are left out."""
KEPT = 4000
"""So many letters at the end of what pytest says of failures are kept."""


def command(file: str, standin: bool) -> list[str]:
    """The tests of one file."""
    return [sys.executable, "-m", "pytest", *OPTIONS, *(STANDIN if standin else ()), *DEVICE, f"{TESTS}/{file}"]


def suite(file: str, given: Given) -> Said:
    """The last line of pytest.

    Raises:
        FaultError: where a test failed.
    """
    done = subprocess.run(
        command(file, given.standin),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=given.seconds,
        env=os.environ,
    )
    lines = done.stdout.strip().splitlines() or ["pytest said nothing"]
    if done.returncode == NO_TESTS:
        raise LeftOutError("it has no tests for a device")
    check(done.returncode == 0, f"{lines[-1]}\n{(done.stdout + done.stderr)[-KEPT:]}")
    return lines[-1]


def files() -> list[str]:
    """The files, longest first: what takes longest does not come last."""
    found = (CHECKOUT / TESTS).glob("test_*.py")
    return [path.name for path in sorted(found, key=lambda path: (-path.stat().st_size, path.name))]


ITEMS: dict[str, Item] = {file: partial(suite, file) for file in files()}
