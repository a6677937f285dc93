"""Philox 4x32-10 as instructions: the words of :func:`autodiff.ops.random.random_words`, one counter at a time."""

from __future__ import annotations

from typing import Any

from autodiff.ops.random import KEY_STEPS, MULTIPLIERS, ROUNDS


def random_words(builder: Any, seed: Any, number: Any) -> list[Any]:
    """The four words of a counter under a seed, as floating numbers.

    Args:
        builder: where.
        seed: a word of 64 bits.
        number: of the counter, likewise.
    """
    word, double = builder.ir.IntType(64), builder.ir.DoubleType()

    def low(value: Any) -> Any:
        return builder.and_(value, word(0xFFFFFFFF))

    def high(value: Any) -> Any:
        return low(builder.ashr(value, word(32)))  # without what the shift brings in

    a, b, c, d = low(number), high(number), word(0), word(0)
    keys = [low(seed), high(seed)]
    for turn in range(ROUNDS):
        if turn:
            keys = [low(builder.add(key, word(int(step)))) for key, step in zip(keys, KEY_STEPS, strict=True)]
        first, second = (builder.mul(x, word(int(by))) for x, by in zip((a, c), MULTIPLIERS, strict=True))
        a, c = builder.xor(builder.xor(high(second), b), keys[0]), builder.xor(builder.xor(high(first), d), keys[1])
        b, d = low(second), low(first)
    return [builder.sitofp(value, double) for value in (a, b, c, d)]
