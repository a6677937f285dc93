"""The options of the demo, checked before anything is trained."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_to(parser: argparse.ArgumentParser) -> None:
    """Give the parser the demo's options."""
    parser.add_argument("--steps", type=steps, default=1000, metavar="N", help="batches to train on (default: 1000)")
    parser.add_argument("--out", type=picture, default="autodiff-demo.png", metavar="PATH.png",
                        help="where the picture goes (default: autodiff-demo.png)")  # fmt: skip
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="for data, weights, batches (default: 0)")


def steps(text: str) -> int:
    """A whole number from 1."""
    return whole_number(text, least=1)


def seed(text: str) -> int:
    """A whole number from 0."""
    return whole_number(text, least=0)


def whole_number(text: str, least: int) -> int:
    """The number in the text, if it is one and large enough."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"needed a whole number from {least}, got {text}")
    return int(text)


def picture(text: str) -> Path:
    """The path of a PNG file that can be written."""
    path = Path(text)
    if path.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"needed a path that ends in .png, got {text}")
    existed = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot write {text}: {error.strerror}") from error
    if not existed:
        path.unlink()
    return path
