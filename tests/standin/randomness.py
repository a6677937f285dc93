"""``cupy.random``, from a generator of NumPy: other numbers than CuPy's, of the same distributions."""

import numpy as np

from tests.standin.array import peeled, wrapped

FUNCTIONS = (
    "beta", "binomial", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma", "geometric", "gumbel",
    "laplace", "logistic", "lognormal", "multinomial", "multivariate_normal", "normal", "pareto", "permutation",
    "poisson", "power", "rand", "randint", "randn", "random", "random_integers", "random_sample", "rayleigh",
    "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "uniform",
    "vonmises", "wald", "weibull", "zipf", "triangular", "tomaxint", "negative_binomial", "noncentral_chisquare",
    "noncentral_f",
)  # fmt: skip


class RandomState:
    """Random numbers."""

    def __init__(self, seed=None, method=0):
        self._state = np.random.RandomState(seed)

    def seed(self, seed=None):
        self._state.seed(seed)

    def shuffle(self, a):
        a[...] = wrapped(self._state.permutation(a._host))

    def tomaxint(self, size=None):
        return wrapped(self._state.randint(0, 2**31 - 1, size))

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise AttributeError(name)

        def draw(*args, dtype=None, **kwargs):
            drawn = np.asarray(getattr(self._state, name)(*peeled(args), **{k: peeled(v) for k, v in kwargs.items()}))
            return wrapped(drawn if dtype is None else drawn.astype(dtype))

        return draw


class Generator:
    """Random numbers, the newer way."""

    def __init__(self, bit_generator=None):
        self._generator = np.random.default_rng(bit_generator)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        function = getattr(self._generator, name)
        return lambda *args, **kwargs: wrapped(function(*peeled(args), **kwargs))


_global = RandomState()
_states = {}


def get_random_state():
    """The state that the functions of the module draw from."""
    return _global


def default_rng(seed=None):
    """A generator."""
    return Generator(seed)
