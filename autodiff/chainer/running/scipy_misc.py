"""What ``scipy.misc`` had when Chainer programs were written: images, by Pillow, and functions that have moved."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import comb, factorial, factorial2, factorialk, logsumexp

__all__ = [
    "bytescale", "comb", "factorial", "factorial2", "factorialk", "fromimage", "imread", "imresize", "imrotate",
    "imsave", "logsumexp", "toimage",
]  # fmt: skip

FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
CHANNELS = {"RGB": 3, "YCbCr": 3, "RGBA": 4, "CMYK": 4}


def bytescale(data: Any, cmin: Any = None, cmax: Any = None, high: int = 255, low: int = 0) -> Any:
    """Numbers as bytes: cmin, by default the least one, becomes low, and cmax becomes high; bytes as they are.

    >>> bytescale(np.array([0.0, 1.0])).tolist()
    [0, 255]

    Raises:
        ValueError: if low and high are no bytes in this order, or cmax is below cmin.
    """
    if data.dtype == np.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError(f"`low` is {low} and `high` is {high}; they must be bytes, and `low` not the larger one")
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    if cmax < cmin:
        raise ValueError("`cmax` should be larger than `cmin`.")
    # In float64, as NumPy 1 computed it for integers, of which differences may be larger than their dtype holds.
    kind: Any = data.dtype.type if data.dtype.kind == "f" else np.float64
    scale = float(high - low) / (float(kind(cmax) - kind(cmin)) or 1.0)
    scaled = (data.astype(kind) - kind(cmin)) * kind(scale) + low
    return (scaled.clip(low, high) + kind(0.5)).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Any = None,
    cmax: Any = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Any:
    """An image of Pillow's: of two axes in grey, of three in the colours along the one of length 3 or 4.

    Raises:
        ValueError: if the array has another shape, or one that the mode has not.
    """
    from PIL import Image  # noqa: PLC0415 # only images need it

    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return grey_image(data, high, low, cmin, cmax, pal, mode)
    if data.ndim != 3 or not {3, 4} & set(data.shape):
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    if channel_axis is None:
        channel_axis = data.shape.index(3 if 3 in data.shape else 4)
    channels = data.shape[channel_axis]
    if channels not in (3, 4):
        raise ValueError("Channel axis dimension is not valid.")
    mode = ("RGB" if channels == 3 else "RGBA") if mode is None else mode
    if CHANNELS.get(mode) != channels:
        raise ValueError(f"an image of mode {mode} cannot have {channels} channels; modes are {', '.join(CHANNELS)}")
    pixels = np.moveaxis(bytescale(data, cmin, cmax, high, low), channel_axis, 2)
    return Image.frombytes(mode, pixels.shape[1::-1], pixels.tobytes())


def grey_image(data: Any, high: int, low: int, cmin: Any, cmax: Any, pal: Any, mode: str | None) -> Any:
    """An image of one number for each pixel.

    Raises:
        ValueError: if the mode has no such images.
    """
    from PIL import Image  # noqa: PLC0415 # only images need it

    size = data.shape[::-1]
    if mode == "F":
        return Image.frombytes(mode, size, data.astype(np.float32).tobytes())
    if mode in (None, "L", "P"):
        image = Image.frombytes("L", size, bytescale(data, cmin, cmax, high, low).tobytes())
        if pal is None and mode == "P":
            pal = np.repeat(np.arange(256, dtype=np.uint8), 3)
        if pal is not None:
            image.putpalette(np.asarray(pal, np.uint8).tobytes())
        return image
    if mode == "1":
        return Image.fromarray(data > high)
    if mode != "I":
        raise ValueError(f"an array of two axes cannot be an image of mode {mode}; modes are F, L, P, 1, I")
    cmin, cmax = (data.min() if cmin is None else cmin), (data.max() if cmax is None else cmax)
    scaled = (data * 1.0 - cmin) * (high - low) / (float(cmax) - float(cmin)) + low
    return Image.frombytes(mode, size, scaled.astype(np.uint32).tobytes())


def fromimage(im: Any, flatten: bool = False, mode: str | None = None) -> Any:
    """The array in an image of Pillow's; flattened, in grey as float32."""
    if mode is not None:
        im = im.convert(mode) if mode != im.mode else im
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> Any:
    """The array in an image file."""
    from PIL import Image  # noqa: PLC0415 # only images need it

    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def imsave(name: Any, arr: Any, format: str | None = None) -> None:
    """Write an array to an image file."""
    toimage(arr, channel_axis=2).save(name, format)


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> Any:
    """An image of another size: a percentage, a fraction, or height and width.

    >>> imresize(np.zeros((4, 6, 3)), 50).shape
    (2, 3, 3)
    """
    image = toimage(arr, mode=mode)
    if isinstance(size, (int, float, np.signedinteger, np.floating)):
        factor = float(size) if isinstance(size, (float, np.floating)) else size / 100.0
        width, height = (int(length * factor) for length in image.size)
    else:
        height, width = size[:2]
    return fromimage(image.resize((int(width), int(height)), FILTERS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> Any:
    """An image turned counterclockwise by an angle in degrees."""
    return fromimage(toimage(arr).rotate(angle, FILTERS[interp]))
