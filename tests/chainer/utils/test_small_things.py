"""Warnings, final methods, folders and quantities that are kept."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import utils
from autodiff.chainer.utils import cache, precision
from autodiff.facade import no_backprop_mode
from autodiff.facade.settings.configuration import using_config


def test_experimental_interfaces_warn_unless_told_not_to(monkeypatch):
    with pytest.warns(FutureWarning, match="net.f is experimental. Its interface may change"):
        utils.experimental("net.f")
    monkeypatch.setattr(chainer, "disable_experimental_feature_warning", True)
    utils.experimental("net.f")


def test_nondeterministic_functions_warn_if_asked_to():
    utils.nondeterministic("f")
    with using_config("warn_nondeterministic", True), pytest.warns(UserWarning, match="f may have another result"):
        utils.nondeterministic("f")


def test_final_methods_are_not_overridden():
    class Base(utils.enable_final(meta_base=(type,))):
        @utils.final
        def run(self):
            return 1

    class Deeper(Base):
        def walk(self):
            return 2

    assert Deeper().run() == 1
    with pytest.raises(TypeError, match="Last overrides the method 'run', which is final in Base"):

        class Last(Deeper):
            def run(self):
                return 3


def test_final_methods_with_a_warning():
    class Base(utils.enable_final(base=(dict,))):
        @utils.final(action=DeprecationWarning)
        def run(self):
            return 1

    with pytest.warns(DeprecationWarning, match="Other overrides the method 'run'"):

        class Other(Base):
            def run(self):
                return 2

    assert Other(a=1).run() == 2


def test_a_folder_goes_with_its_files(tmp_path):
    with utils.tempdir(dir=tmp_path, prefix="abc") as folder:
        (tmp_path / folder / "file").write_text("")
        assert len(list(tmp_path.glob("abc*"))) == 1
    assert list(tmp_path.iterdir()) == []


def test_types_are_forced():
    float32 = np.dtype(np.float32)
    assert utils.force_type(float32, 3) == 3
    assert utils.force_type(float32, np.ones(2, int)).dtype == float32
    assert utils.force_array(np.float64(2)).shape == ()
    assert utils.size_of_shape((2, 3)) == 6
    assert utils.sum_to(np.ones((2, 3)), (1, 3)).tolist() == [[2, 2, 2]]


def test_half_precision_is_computed_in_single():
    seen = []

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs):
        seen.extend(x.dtype for x in inputs)
        return (inputs[0] + inputs[1], None)

    y, nothing = forward(None, (np.ones(2, np.float16), np.ones(2, np.float32)))
    assert seen == [np.float32, np.float32]
    assert y.dtype == np.float16
    assert nothing is None


def test_kept_quantities_are_kept_apart_without_backprop():
    class Counted:
        count = 0

        @cache.cached_property
        def value(self):
            """The value."""
            self.count += 1
            return object()

    counted = Counted()
    first = counted.value
    with no_backprop_mode():
        second = counted.value
        assert second is counted.value is not first
    assert counted.value is first
    assert counted.count == 2
    assert (Counted.value.__name__, Counted.value.__doc__) == ("value", "The value.")
    with pytest.raises(AttributeError, match=r"value of Counted is computed \(.*\) and cannot be assigned"):
        counted.value = 1


def test_walker_alias_draws_with_any_module():
    sampler = utils.WalkerAlias([1, 2, 3])
    np.random.seed(0)  # noqa: NPY002
    first = sampler.sample((4,))
    np.random.seed(0)  # noqa: NPY002
    assert sampler.sample_xp(np, (4,)).tolist() == first.tolist()
    assert sampler.use_gpu is False


def test_all_names_are_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(hasattr(utils, name) for name in utils.__all__)
