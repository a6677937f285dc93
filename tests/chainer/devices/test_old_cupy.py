"""A CuPy that promotes by values is refused, saying which one is needed."""

from autodiff.backends import gpu


def test_an_old_cupy_is_refused(cupy, monkeypatch):
    monkeypatch.setattr(cupy, "__version__", "13.6.0")
    gpu.found.cache_clear()
    found, reason = gpu.found()
    gpu.found.cache_clear()
    assert found is None
    assert reason == "CuPy 13.6.0 promotes numbers by their values, as NumPy 2 no longer does: 14 or newer is needed"
