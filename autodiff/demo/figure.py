"""The picture: loss curves of both faces, test digits with predictions, the weights of the first layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.demo.digits import Digits
from autodiff.demo.extras import module
from autodiff.demo.faces import Trained
from autodiff.demo.network import predictions

SIDE = 8  # a digit has 8 x 8 pixels
SHOWN = 14
ACROSS = 16  # little images in a row of the mosaic


def draw(path: str, title: str, functions: Trained, variables: Trained, digits: Digits) -> None:
    """Write the picture as PNG."""
    figure = module("matplotlib.figure").Figure(figsize=(11, 9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    figure.suptitle(title, fontsize=14)
    curves, examples, weights = figure.subfigures(3, 1, height_ratios=(3.6, 1.5, 3.2))
    draw_curves(curves, functions, variables)
    draw_examples(examples, functions, digits)
    draw_weights(weights, functions)
    figure.savefig(path, dpi=120)


def draw_curves(figure: Any, functions: Trained, variables: Trained) -> None:
    """Both curves on one another: wide and light below, thin and dashed above."""
    axes = figure.subplots()
    steps = range(1, len(functions.losses) + 1)
    axes.plot(steps, functions.losses, color="#f2a65a", linewidth=5, label="value_and_grad(loss)(parameters, batch)")
    axes.plot(steps, variables.losses, color="#1d3557", linewidth=1.2, linestyle="--", label="loss.backward()")
    axes.set(yscale="log", xlabel="step", ylabel="cross-entropy of the batch", title="Training loss, same batches")
    axes.grid(alpha=0.3)
    axes.legend()


def draw_examples(figure: Any, trained: Trained, digits: Digits) -> None:
    """The first test digits, each under its prediction; a wrong one in red with the truth."""
    figure.suptitle("Test digits and predictions", fontsize="large")
    predicted = predictions(trained.parameters, digits.test_images[:SHOWN])
    for axes, image, guess, label in zip(figure.subplots(1, SHOWN), digits.test_images, predicted, digits.test_labels):
        axes.imshow(image.reshape(SIDE, SIDE), cmap="gray_r")
        right = guess == label
        axes.set_title(f"{guess}" if right else f"{guess}, not {label}", color="#2a7f3f" if right else "#c1121f")
        axes.set_axis_off()


def draw_weights(figure: Any, trained: Trained) -> None:
    """What every hidden unit is sensitive to, pixel by pixel."""
    weights = trained.parameters["first weights"]
    limit = float(np.quantile(np.abs(weights), 0.99))  # a few strong pixels would pale all others
    axes = figure.subplots()
    image = axes.imshow(mosaic(weights.T), cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes.set_title(f"First layer: the weights of its {weights.shape[1]} units, as images")
    axes.set_axis_off()
    figure.colorbar(image, ax=axes, shrink=0.7, extend="both", label="weight")


def mosaic(rows: Any) -> Any:
    """Every row as a little image, sixteen next to each other, with empty lines between them."""
    cells = np.full((len(rows), SIDE + 1, SIDE + 1), np.nan)
    cells[:, :SIDE, :SIDE] = rows.reshape(-1, SIDE, SIDE)
    down = len(rows) // ACROSS
    tiled = cells.reshape(down, ACROSS, SIDE + 1, SIDE + 1).transpose(0, 2, 1, 3)
    return tiled.reshape(down * (SIDE + 1), ACROSS * (SIDE + 1))[:-1, :-1]
