"""Kernels that draw random numbers: Philox's published answers, every number from its formula, and statistics."""

import numpy as np
import pytest
from scipy import stats

from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.kernels.random import DRAWS, random_kernel
from autodiff.backends.cupy.prelude import prelude
from autodiff.ops.random import random_words
from tests.backends.cupy.hosting import ORDERS, hosted, needs_compiler, run_kernel
from tests.backends.cupy.nvrtc import checked, needs_nvrtc

# Of the authors' library Random123: a counter, a key, four words.
PUBLISHED = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip

WORDS_OF = """
extern "C" __global__ void words_of(const uint32* counters, const uint64* keys, uint32* out) {
  const uint32* own = counters + 4 * threadIdx.x;
  const Words words = philox(Words{{own[0], own[1], own[2], own[3]}}, keys[threadIdx.x]);
  for (int k = 0; k < 4; ++k) out[4 * threadIdx.x + k] = words.word[k];
}
"""


def words(text):
    return [int(word, 16) for word in text.split()]


def wanted(distribution, dtype, seed, first, size, chance):
    """What a kernel is to draw."""
    found = random_words(np.array(seed, np.uint64), np.uint64(first) + np.arange(size, dtype=np.uint64))
    fractions = (found >> np.uint64(8)) / 2.0**24
    if dtype == np.float64:
        fractions = ((found[:, 1::2] << np.uint64(32) | found[:, ::2]) >> np.uint64(11)) / 2.0**53
    match distribution:
        case "bits":
            numbers = found
        case "uniform":
            numbers = fractions
        case "bernoulli":
            numbers = found < round(chance * 2.0**32)
        case "normal":
            drawn = 1 - fractions[:, ::2] if dtype == np.float64 else (found[:, ::2] + 0.5) / 2.0**32
            radius, angle = np.sqrt(-2 * np.log(drawn)), 2 * np.pi * fractions[:, 1::2]
            numbers = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return numbers.reshape(-1)[:size].astype(dtype)


def draw(distribution, shape, dtype, state, order=0, chance=0.5):
    return run_kernel(
        random_kernel(distribution, shape, np.dtype(dtype), chance), np.array(state, np.uint64), order=order
    )


@needs_compiler
def test_the_published_answers():
    counters, keys, answers = zip(*PUBLISHED)
    given = np.array([words(counter) for counter in counters], np.uint32)
    seeds = np.array([low | high << 32 for low, high in map(words, keys)], np.uint64)
    out = np.zeros((3, 4), np.uint32)
    hosted(WORDS_OF).run(Launch("words_of", (1, 1), 3), [given, seeds, out], constant=(0, 1))
    np.testing.assert_array_equal(out, np.array([words(answer) for answer in answers], np.uint32))


@needs_compiler
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("distribution", "dtype"), DRAWS)
def test_every_number_is_that_of_its_place(distribution, dtype, order):
    for seed, first, shape in ((7, 0, (1001,)), (2**63 + 5, 2**32 - 100, (33, 7)), (0, 9, (0,)), (1, 1, ())):
        found, behind = draw(distribution, shape, dtype, (seed, first), order, 0.3)
        size = int(np.prod(shape, dtype=int))
        assert (found.shape, found.dtype) == (shape, np.dtype(dtype))
        numbers = wanted(distribution, np.dtype(dtype), seed, first, size, 0.3)
        if distribution == "normal":
            eps = np.finfo(dtype).eps
            np.testing.assert_allclose(found.reshape(-1), numbers, rtol=8 * eps, atol=32 * eps)
        else:
            np.testing.assert_array_equal(found.reshape(-1), numbers)
        each = DRAWS[distribution, dtype][2]
        assert behind.tolist() == [seed, first + -(-size // each)]


@needs_compiler
def test_a_state_that_is_handed_on_gives_the_same_numbers_as_one_long_draw():
    first, state = draw("uniform", (400,), np.float32, (3, 0))
    second, _ = draw("uniform", (600,), np.float32, state)
    whole, _ = draw("uniform", (1000,), np.float32, (3, 0))
    np.testing.assert_array_equal(np.concatenate([first, second]), whole)


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distributions(dtype):
    uniform, state = draw("uniform", (20_000,), dtype, (11, 0))
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert stats.kstest(uniform, "uniform").pvalue > 0.01
    normal, _ = draw("normal", (20_000,), dtype, state)
    assert stats.kstest(normal, "norm").pvalue > 0.01
    assert abs(np.corrcoef(normal[::2], normal[1::2])[0, 1]) < 0.03
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.03


@needs_compiler
@pytest.mark.parametrize("chance", [0.0, 0.1, 0.5, 1.0])
def test_chances(chance):
    found, _ = draw("bernoulli", (20_000,), bool, (5, 0), chance=chance)
    assert abs(found.mean() - chance) <= 4 * np.sqrt(chance * (1 - chance) / found.size)


def test_bad_input():
    with pytest.raises(ValueError, match="no kernel draws") as caught:
        random_kernel("normal", (3,), np.dtype(np.float16))
    where = f" (test_random.py:{caught.traceback[0].lineno + 1})"
    assert str(caught.value) == (
        f"no kernel draws normal of float16{where}; there are bits of uint32, uniform of float32, uniform of float64, "
        "normal of float32, normal of float64, bernoulli of bool"
    )
    with pytest.raises(ValueError, match="a chance") as caught:
        random_kernel("bernoulli", (3,), np.dtype(bool), 1.5)
    where = f" (test_random.py:{caught.traceback[0].lineno + 1})"
    assert str(caught.value) == f"a chance is from 0 to 1, not 1.5{where}"


@needs_nvrtc
def test_nothing_spills():
    texts = [random_kernel(name, (1000,), np.dtype(dtype)).text for name, dtype in DRAWS]
    numbered = [text.replace(" kernel(", f" kernel_{k}(") for k, text in enumerate(texts)]
    found = checked("\n".join((prelude(), *numbered)))
    assert len(found["sm_90"]) == len(DRAWS)
