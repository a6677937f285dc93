"""The Greeks of an option.

The price of a European call by Black and Scholes; everything that traders ask of it is a derivative, of first, second
or third order, computed for a whole surface at once.
"""

import numpy as np

from autodiff import grad, jit, vmap
from autodiff.scipy.special import ndtr


def price(spot, volatility, time, strike=100.0, rate=0.02):
    """The price of the right to buy at the strike when the time is over."""
    spread = volatility * np.sqrt(time)
    d = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
    return spot * ndtr(d) - strike * np.exp(-rate * time) * ndtr(d - spread)


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
    volatility = 0.5
    for _ in range(steps):
        slope = GREEKS["vega"](spot, volatility, time)
        volatility -= (price(spot, volatility, time) - paid) / slope
    return volatility


def main(size=60):
    spots, times = np.linspace(60.0, 140.0, size), np.linspace(0.05, 1.0, size)
    surfaces = {name: surface(greek)(spots, 0.25, times) for name, greek in GREEKS.items()}
    found = implied(price(95.0, 0.31, 0.5), 95.0, 0.5)
    return {"spots": spots, "times": times, "surfaces": surfaces, "implied": found}


def draw(figure, found):
    for axes, (name, values) in zip(figure.subplots(2, 3, sharex=True, sharey=True).flat, found["surfaces"].items()):
        limit = np.percentile(np.abs(values), 99)
        low = -limit if values.min() < -1e-9 else 0.0
        image = axes.pcolormesh(found["spots"], found["times"], values, vmin=low, vmax=limit, cmap="RdBu_r")
        figure.colorbar(image, ax=axes)
        axes.set_title(name, fontsize="medium")
    figure.supxlabel("spot")
    figure.supylabel("years")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
