"""The namespace: every name is there."""

import autodiff.chainer.functions as F


def test_every_name_can_be_called():
    assert len(F.__all__) == 216
    assert all(callable(getattr(F, name)) for name in F.__all__)
