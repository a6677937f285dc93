"""The Greeks of an option, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, vmap
from jax.scipy.special import ndtr


def price(spot, volatility, time, strike=100.0, rate=0.02):
    """The price of the right to buy at the strike when the time is over."""
    spread = volatility * jnp.sqrt(time)
    d = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
    return spot * ndtr(d) - strike * jnp.exp(-rate * time) * ndtr(d - spread)


SPOT, VOLATILITY, TIME = 0, 1, 2
GREEKS = {
    "price": price,
    "delta": grad(price, SPOT),
    "gamma": grad(grad(price, SPOT), SPOT),
    "vega": grad(price, VOLATILITY),
    "vanna": grad(grad(price, SPOT), VOLATILITY),
    "speed": grad(grad(grad(price, SPOT), SPOT), SPOT),
}


def surface(greek):
    """A Greek for all spots and all times."""
    return jit(vmap(vmap(greek, in_axes=(0, None, None)), in_axes=(None, None, 0)))


def implied(paid, spot, time, steps=20):
    """The volatility that explains a price, by Newton's method with vega."""
    volatility, value, vega = 0.5, jit(price), jit(GREEKS["vega"])
    for _ in range(steps):
        slope = vega(spot, volatility, time)
        volatility -= (value(spot, volatility, time) - paid) / slope
    return volatility


def main(size=60):
    spots, times = np.linspace(60.0, 140.0, size), np.linspace(0.05, 1.0, size)
    surfaces = {name: surface(greek)(spots, 0.25, times) for name, greek in GREEKS.items()}
    found = implied(price(95.0, 0.31, 0.5), 95.0, 0.5)
    return {"spots": spots, "times": times, "surfaces": surfaces, "implied": found}
