"""``python -m pytest -p tests.standin.late tests/gpu``: in all of the tests a GPU works as late as it may.

Wrong is then what reads memory that nobody has written yet, or that was handed out again meanwhile. Kernels that tests
run by themselves have blocks side by side, whose stores others see only behind a fence.
"""

from tests.backends.cupy import hosting
from tests.standin import fixture

HOST_ALONE = ("test_shim.py", "test_late_stores.py")


def pytest_configure():
    """Let work wait until somebody waits for it, and stores until somebody asks for a fence."""
    fixture.Mode.late = True
    run_fenced = hosting.Hosted.run_fenced
    hosting.Hosted.run_fenced = lambda self, launch, arguments, order=0, late=False: run_fenced(
        self, launch, arguments, order, True
    )


def pytest_collection_modifyitems(config, items):
    """Leave out tests of the shim itself, which say when stores are late."""
    out = [item for item in items if item.path.name in HOST_ALONE]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]
