"""What links with convolution kernels have in common."""

from __future__ import annotations

from typing import Any

from autodiff.trace.source import at_user_line


def channels_and_size(in_channels: Any, out_channels: Any, ksize: Any) -> tuple[Any, Any, Any]:
    """Numbers of channels and size of kernels, where the number of input channels may be left out.

    >>> channels_and_size(2, 3, None)
    (None, 2, 3)
    """
    return (None, in_channels, out_channels) if ksize is None else (in_channels, out_channels, ksize)


def per_group(channels: int, groups: int, kind: str) -> int:
    """How many channels a group has.

    Raises:
        ValueError: if the groups cannot be equal.
    """
    if channels % groups:
        raise ValueError(
            f"the number of {kind} channels must be divisible by the number of groups, got {channels} channels and "
            f"{groups} groups{at_user_line()}"
        )
    return channels // groups
