"""Where the largest element of each region of an image stands."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.ops.on_gpu import reductions
from autodiff.trace.parameters import require, same
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, spec


def _evaluate(x: Any, regions: Any) -> Any:
    lead, grid = x.shape[:-4], regions.shape[-4:-1]
    images = x.reshape(-1, *x.shape[-4:])
    boxes = regions.reshape(-1, *regions.shape[-4:])
    places = np.full((len(images), grid[0], x.shape[-3], *grid[1:]), -1, np.intp, like=x)
    for batch in np.ndindex(len(images)):
        for cell in np.ndindex(*grid):
            _note_largest(places[batch], images[batch], cell, boxes[batch][cell])
    return places.reshape(*lead, *places.shape[1:])


def _note_largest(places: Any, images: Any, cell: tuple[int, ...], box: Any) -> None:
    """Write down the places of the largest elements of one region, for all channels."""
    image, top, bottom, left, right = map(int, box)
    region = images[image, :, top:bottom, left:right]
    if region.size:
        _, channels, height, width = images.shape
        row, column = np.divmod(region.reshape(channels, -1).argmax(1), right - left)
        flat = ((image * channels + np.arange(channels, like=images)) * height + top + row) * width + left + column
        places[(cell[0], slice(None), *cell[1:])] = flat


def _spec(x: Spec, regions: Spec) -> Spec:
    *_, count, rows, columns, _ = regions.shape
    return spec((*x.shape[:-4], count, x.shape[-3], rows, columns), np.intp)


def _check(x: Spec, regions: Spec) -> None:
    require(x.ndim >= 4 and regions.ndim == x.ndim, "images and grids of regions have four axes, or those of a batch")
    same("the leading lengths", x.shape[:-4], regions.shape[:-4])
    same("the last length of regions and five", regions.shape[-1], 5)
    require(regions.dtype.kind in "iu", f"regions are made of integers, and not of {regions.dtype}")


largest_in_regions: Primitive = general(
    "largest_in_regions", ("x", "regions"), _evaluate, _spec, {}, check=_check, on_gpu=reductions.largest_in_regions
)
"""The places of the largest elements of regions, in flattened images; of equal ones the first.

Images (N, C, H, W), and for R grids of regions integers (R, rows, columns, 5): the image, and the half-open ranges
(top, bottom, left, right). The result is (R, C, rows, columns), with -1 for empty regions. No derivative.
"""


def picked(x: Any, places: Any) -> Any:
    """The elements at places of flattened images, zero where the place is -1."""
    flat = x.reshape((prod(x.shape),))
    return np.where(places < 0, 0, flat[np.maximum(places, 0)])
