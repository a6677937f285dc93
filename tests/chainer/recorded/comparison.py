"""Whether what was computed now is what Chainer computed then."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

TOLERANCES = {"float64": 1e-10, "float32": 1e-5, "float16": 1e-2}


# What Chainer raises where its own checks fail, or nothing checks: any error of ours is as good or better.
ACCIDENTS = (
    "AssertionError",
    "AttributeError",
    "RuntimeError",
    "IndexError",
    "AxisError",
    "LinAlgError",
    "NotImplementedError",
)


def check(recorded: dict[str, Any], now: dict[str, Any], tolerance: float) -> None:
    """Raise AssertionError with every fact that differs."""
    if "error" in recorded:
        check_error(recorded, now)
        return
    if "rejected" in recorded:  # a dtype that Chainer does not take here
        assert recorded["rejected"] in without_place(now.get("rejected", recorded["rejected"]))
        return
    if "no double gradient" in recorded:  # Chainer could not: whatever we can do more is welcome
        now = {key: value for key, value in now.items() if not key.startswith("double gradient")}
    else:
        assert "no double gradient" not in now, now["no double gradient"]
    texts = [
        difference(key, recorded.get(key, "nothing"), now.get(key, "nothing"), tolerance)
        for key in sorted({*recorded, *now})
    ]
    differences = [text for text in texts if text]
    assert not differences, "\n".join(differences)


def check_error(recorded: dict[str, Any], now: dict[str, Any]) -> None:
    """The same error; its text is compared where it is the one of a failed type check."""
    if recorded["error"] == "InvalidType":
        assert now.get("error") == "InvalidType", now
        assert recorded["text"] in without_place(now["text"]), f"Chainer {recorded['text']}\nhere {now['text']}"
    elif recorded["error"] in ACCIDENTS:
        assert now.get("error") is not None
    elif recorded["error"] is None:
        assert now == recorded, now["text"]
    else:
        assert now.get("error") in (recorded["error"], "InvalidType"), now


def without_place(text: str) -> str:
    """The text without the user's file and line, which Chainer does not tell. What ours says beyond it follows."""
    return re.sub(r" \([^()]*\.py:\d+\)", "", text)


def difference(key: str, recorded: Any, now: Any, tolerance: float) -> str | None:
    if key == "no double gradient" or (key.startswith("label") and recorded == "nothing"):
        return None
    if key.startswith("double"):
        recorded, now = comparable(recorded, now)
    if not (isinstance(recorded, np.ndarray) and isinstance(now, np.ndarray)):
        return None if type(recorded) is type(now) and recorded == now else f"{key}: Chainer {recorded!r}, here {now!r}"
    if recorded.dtype != now.dtype or recorded.shape != now.shape:
        return f"{key}: Chainer {recorded.dtype}{recorded.shape}, here {now.dtype}{now.shape}"
    if recorded.dtype.kind != "f":
        return None if np.array_equal(recorded, now) else f"{key}: Chainer {recorded}, here {now}"
    bound = 0 if key.startswith("initial ") else TOLERANCES[recorded.dtype.name] * tolerance
    return None if close(recorded, now, bound) else f"{key}:\nChainer {recorded}\nhere    {now}"


def comparable(recorded: Any, now: Any) -> tuple[Any, Any]:
    """Double gradients: one that is absent is zero, and where Chainer's is not finite, ours is not compared."""
    shaped = recorded if isinstance(recorded, np.ndarray) else now
    if not isinstance(shaped, np.ndarray):
        return None, None
    recorded, now = (value if isinstance(value, np.ndarray) else np.zeros_like(shaped) for value in (recorded, now))
    return recorded, np.where(np.isfinite(recorded), now, recorded) if recorded.shape == now.shape else now


def close(recorded: np.ndarray, now: np.ndarray, bound: float) -> bool:
    """Relative to the largest entry, since sums in another order round at the size of what is summed."""
    finite = np.isfinite(recorded)
    scale = max(1.0, float(np.abs(recorded[finite]).max())) if finite.any() else 1.0
    return np.allclose(now.astype("d"), recorded.astype("d"), rtol=bound, atol=bound * scale, equal_nan=True)
