"""Initializers: what they fill arrays with, and what they refuse."""

import re

import numpy as np
import pytest

from autodiff.chainer import initializers
from autodiff.chainer.initializer import Initializer, get_fans
from autodiff.chainer.initializers import _check_is_initializer_like, _get_initializer, generate_array
from autodiff.facade import Parameter
from autodiff.facade.settings.configuration import mixed16, using_config

RANDOM = [
    "Normal", "LeCunNormal", "GlorotNormal", "HeNormal", "Uniform", "LeCunUniform", "GlorotUniform", "HeUniform",
    "Orthogonal",
]  # fmt: skip


def filled(initializer, shape, dtype=np.float32):
    array = np.full(shape, 7, dtype)
    assert initializer(array) is None
    return array


# The first two numbers that Chainer 7.8.1 puts into a float64 array of shape (4, 3) after np.random.seed(0).
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Normal", 0.0882026172983832, 0.020007860418361167),
        ("LeCunNormal", 1.0184760968090216, 0.23103087196898553),
        ("GlorotNormal", 0.9429256415636873, 0.21389302493686577),
        ("HeNormal", 1.4403427090601317, 0.3267269924654215),
        ("Uniform", 0.004881350392732478, 0.021518936637241942),
        ("LeCunUniform", 0.0976270078546495, 0.43037873274483895),
        ("GlorotUniform", 0.09038504615248732, 0.39845328128981095),
        ("HeUniform", 0.13806543856194997, 0.6086474408046969),
    ],
)
def test_seeds_reproduce_chainers_numbers(name, first, second):
    np.random.seed(0)  # noqa: NPY002 - the state that Chainer's initializers draw from
    array = filled(getattr(initializers, name)(), (4, 3), np.float64)
    assert array.ravel()[:2].tolist() == [first, second]
    np.random.seed(0)  # noqa: NPY002
    assert np.array_equal(filled(getattr(initializers, name)(), (4, 3)), array.astype(np.float32))


def test_orthogonal_reproduces_chainers_numbers():
    array = filled(initializers.Orthogonal(1.0, rng=np.random.RandomState(1)), (3, 2), np.float64)
    want = [[0.84831829, 0.20113463], [-0.27583897, -0.62172301], [0.45196122, -0.75697117]]
    assert np.allclose(array, want, atol=1e-8)
    wide = filled(initializers.Orthogonal(rng=np.random.RandomState(1)), (2, 3), np.float64)
    assert np.allclose(wide @ wide.T, 1.1**2 * np.eye(2))


@pytest.mark.parametrize("name", RANDOM)
def test_rng_is_drawn_from_instead_of_the_global_state(name):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[2]  # noqa: NPY002
    kind = getattr(initializers, name)
    one = filled(kind(rng=np.random.RandomState(3)), (4, 3))
    assert np.array_equal(one, filled(kind(rng=np.random.RandomState(3)), (4, 3)))
    assert np.random.get_state()[2] == before  # noqa: NPY002
    filled(kind(rng=np.random.default_rng(3)), (4, 3))


@pytest.mark.parametrize("name", RANDOM)
def test_unknown_keywords_are_refused(name):
    with pytest.raises(TypeError, match=f"{name} got unexpected keyword argument"):
        getattr(initializers, name)(seed=3)


@pytest.mark.parametrize("name", RANDOM)
def test_a_dtype_that_was_asked_for_is_checked(name):
    kind = getattr(initializers, name)
    assert Parameter(kind(dtype=np.float64), (2, 2)).dtype == np.float64
    text = f"{name} was made for dtype float64, but the array has dtype float32"
    with pytest.raises(ValueError, match=text):
        filled(kind(dtype=np.float64), (2, 2))


def test_fans():
    assert get_fans((2, 3)) == (3, 2)
    assert get_fans((4, 3, 2, 2)) == (12, 16)
    with pytest.raises(ValueError, match=r"shape must be of length >= 2.* Actual shape: \(5,\)"):
        get_fans((5,))


def test_empty_weights_are_allowed():
    assert filled(initializers.LeCunNormal(), (4, 0)).shape == (4, 0)


def test_he_normal_of_fan_out():
    one = filled(initializers.HeNormal(fan_option="fan_out", rng=np.random.RandomState(0)), (2, 3))
    assert np.allclose(one[0], [1.7640524, 0.4001572, 0.978738])
    with pytest.raises(ValueError, match="fan_option should be either 'fan_in' or 'fan_out', got 'x'"):
        initializers.HeNormal(fan_option="x")


def test_constants():
    assert filled(initializers.Zero(), (2,)).tolist() == [0, 0]
    assert filled(initializers.One(), (2,), np.int32).tolist() == [1, 1]
    assert np.isnan(filled(initializers.NaN(), (2,))).all()
    assert filled(initializers.Constant(3), (2,)).tolist() == [3, 3]
    assert filled(initializers.Constant(np.arange(2)), (2, 2)).tolist() == [[0, 1], [0, 1]]
    assert filled(initializers.Identity(2), (2, 2)).tolist() == [[2, 0], [0, 2]]
    with pytest.raises(ValueError, match="fill_value must be either a scalar or an array, got list"):
        initializers.Constant([1, 2])
    with pytest.raises(ValueError, match=re.escape("2D squared matrices, got shape (3, 2)")):
        filled(initializers.Identity(), (3, 2))


@pytest.mark.parametrize(
    ("mode", "shape", "sizes"),
    [
        ("embedding", (2, 3), "3-dim input and 2-dim output"),
        ("projection", (3, 2), "2-dim input and 3-dim output"),
        ("basis", (2, 3, 2), "6-dim input and 2-dim output"),
    ],
)
def test_orthogonal_modes(mode, shape, sizes):
    text = re.escape(f"Cannot make orthogonal {mode}. shape = {shape}, interpreted as {sizes}")
    with pytest.raises(ValueError, match=text):
        filled(initializers.Orthogonal(mode=mode), shape)


def test_orthogonal_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match=r"Invalid mode: 'x'.*Choose from 'auto', 'projection', 'embedding', 'basis'"):
        initializers.Orthogonal(mode="x")
    with pytest.raises(ValueError, match="Array to be initialized must be non-empty"):
        filled(initializers.Orthogonal(), (0, 2))


def test_orthogonal_of_no_axes_is_a_sign():
    signs = [filled(initializers.Orthogonal(rng=np.random.RandomState(seed)), ()).item() for seed in range(4)]
    assert np.allclose(signs, [-1.1, 1.1, -1.1, -1.1])


def test_sampling_filters():
    up = filled(initializers.UpsamplingDeconvFilter(), (2, 2, 3, 3))
    assert up[0, 0].tolist() == [[0.25, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 0.25]]
    assert not up[0, 1].any()
    assert np.array_equal(up[1, 1], up[0, 0])
    down = filled(initializers.DownsamplingConvFilter(), (3, 1, 4))
    assert down[2, 0].tolist() == [0.125, 0.375, 0.375, 0.125]
    with pytest.raises(ValueError, match="ksize must be all same: 3 != 4"):
        filled(initializers.UpsamplingDeconvFilter(), (2, 2, 3, 4))
    with pytest.raises(ValueError, match=re.escape("(channels, 1, *kernel), got shape (2, 3, 4)")):
        filled(initializers.UpsamplingDeconvFilter(), (2, 3, 4))
    with pytest.raises(ValueError, match="Unsupported interpolation method: nearest"):
        initializers.DownsamplingConvFilter("nearest")


def test_generated_arrays_have_the_right_dtype():
    one = initializers.One
    assert generate_array(one(), 2, np).dtype == np.float32
    assert generate_array(one(np.float64), (2,), np).dtype == np.float64
    assert generate_array(one(), (2,), np, np.float64).dtype == np.float64
    assert generate_array(one(mixed16), (2,), np).dtype == np.float16
    assert generate_array(lambda array: array.fill(3), (2,), np, device="@numpy").tolist() == [3, 3]
    with using_config("dtype", np.float64):
        assert generate_array(one(), (2,), np).dtype == np.float64
    with pytest.raises(ValueError, match="dtype mismatch: float64 != float32"):
        generate_array(one(np.float32), (2,), np, np.float64)


def test_what_stands_for_an_initializer():
    one = initializers.One()
    assert type(_get_initializer(None)) is initializers.LeCunNormal
    assert _get_initializer(one) is one
    assert _get_initializer(1.5).fill_value == 1.5
    assert filled(_get_initializer(np.arange(2)), (2,)).tolist() == [0, 1]
    for wrong in ([1], "a"):
        with pytest.raises(TypeError, match=f"an array, a number or None, got {type(wrong).__name__}"):
            _get_initializer(wrong)
        with pytest.raises(TypeError, match=f"got {type(wrong).__name__}"):
            _check_is_initializer_like(wrong)
    for right in (None, 1, np.float32(1), np.zeros(2), one, np.sin):
        _check_is_initializer_like(right)


def test_an_initializer_must_say_how_it_fills():
    with pytest.raises(NotImplementedError, match="Initializer must define __call__"):
        Initializer()(np.zeros(2))
