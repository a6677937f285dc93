"""How many windows of a shape there are."""

from __future__ import annotations

Lengths = tuple[int, ...]


def window_counts(lengths: Lengths, shape: Lengths, stride: Lengths, dilation: Lengths) -> Lengths:
    """How many windows of a shape fit along each axis.

    Raises:
        ValueError: if not even one does.
    """
    spans = tuple(d * (k - 1) + 1 if k else 0 for k, d in zip(shape, dilation))
    if any(length < span for length, span in zip(lengths, spans)):
        raise ValueError(f"windows that span {spans} elements do not fit into axes of lengths {lengths}")
    return tuple((length - span) // s + 1 for length, span, s in zip(lengths, spans, stride))


def scaled(lengths: Lengths, factors: Lengths) -> Lengths:
    """The lengths, each times its factor."""
    return tuple(length * factor for length, factor in zip(lengths, factors))
