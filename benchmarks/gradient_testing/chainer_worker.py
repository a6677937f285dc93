"""Chainer's `check_backward`, run by the Python that has Chainer: `python chainer_worker.py`, spoken to through pipes.

It imports nothing of this package, which that Python is too old for. Whoever started it has the function and its
vector-Jacobian product, and computes both when asked.

A message is a word, and arrays in NumPy's own format, each part after its length.
"""

from __future__ import annotations

import struct
import sys
from io import BytesIO
from typing import Any, BinaryIO, List, Sequence, Tuple  # noqa: UP035  (as old Pythons say it)

import numpy as np


def send(pipe: BinaryIO, word: str, arrays: Sequence[Any] = ()) -> None:
    """Write a message."""
    parts = [word.encode()]
    for array in arrays:
        buffer = BytesIO()
        np.save(buffer, np.asarray(array), allow_pickle=False)
        parts.append(buffer.getvalue())
    pipe.write(struct.pack("<I", len(parts)))
    for part in parts:
        pipe.write(struct.pack("<I", len(part)) + part)
    pipe.flush()


def receive(pipe: BinaryIO) -> Tuple[str, List[Any]]:  # noqa: UP006
    """Read a message; EOFError where the other side has ended."""
    header = pipe.read(4)
    if len(header) < 4:
        raise EOFError("the other process has ended")
    (count,) = struct.unpack("<I", header)
    parts = [pipe.read(struct.unpack("<I", pipe.read(4))[0]) for _ in range(count)]
    return parts[0].decode(), [np.load(BytesIO(part), allow_pickle=False) for part in parts[1:]]


def main() -> None:
    """Answer checks until there are no more."""
    from chainer import FunctionNode, Variable, gradient_check  # noqa: PLC0415  (only that Python has it)

    asked, answered = sys.stdout.buffer, sys.stdin.buffer
    sys.stdout = sys.stderr

    def ask(word: str, arrays: Sequence[Any]) -> Any:
        send(asked, word, arrays)
        status, found = receive(answered)
        if status != "found":
            raise RuntimeError(status)
        return found

    class Own(FunctionNode):  # type: ignore[misc]  # Chainer has no types
        def forward(self, inputs: Any) -> Any:
            self.retain_inputs(tuple(range(len(inputs))))
            return tuple(ask("value", inputs))

        def backward(self, indexes: Any, grads: Any) -> Any:
            xs = [one.array for one in self.get_retained_inputs()]
            found = ask("pullback", [grads[0].array, *xs])
            return tuple(Variable(one.astype(x.dtype)) for one, x in zip(found, xs))

    send(asked, "ready")
    while True:
        word, arrays = receive(answered)
        if word != "check":
            return
        cotangent, *args = arrays
        try:
            gradient_check.check_backward(lambda *xs: Own().apply(xs)[0], tuple(args), cotangent, dtype="d")
        except Exception as error:  # what a check raises is what it says
            send(asked, f"blamed {type(error).__name__}: {error}")
        else:
            send(asked, "passed")


if __name__ == "__main__":
    main()
