"""Records in a file: one index and one long array for each dtype, since thousands of small members would be large."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data"


def save(group: str, records: dict[str, Any]) -> None:
    """Write `records`, {case: {dtype: {fact: array, text or None}}}."""
    parts: dict[str, list[np.ndarray]] = {}
    index = {
        name: {dtype: {key: packed(value, parts) for key, value in facts.items()} for dtype, facts in by_dtype.items()}
        for name, by_dtype in records.items()
    }
    arrays = {dtype: np.concatenate(chunks) for dtype, chunks in parts.items()}
    text = np.frombuffer(json.dumps(index, separators=(",", ":")).encode(), np.uint8)
    np.savez_compressed(str(FOLDER / f"{group}.npz"), index=text, **arrays)


def packed(value: Any, parts: dict[str, list[np.ndarray]]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    chunks = parts.setdefault(value.dtype.name, [])
    chunks.append(value.ravel())
    return [value.dtype.name, list(value.shape), sum(chunk.size for chunk in chunks[:-1])]


def load(group: str) -> dict[str, Any]:
    with np.load(FOLDER / f"{group}.npz") as file:
        arrays = {name: file[name] for name in file.files}
    index = json.loads(arrays.pop("index").tobytes())
    for by_dtype in index.values():
        for facts in by_dtype.values():
            facts.update({key: unpacked(value, arrays) for key, value in facts.items()})
    return index


def unpacked(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if not isinstance(value, list):
        return value
    dtype, shape, start = value
    return arrays[dtype][start : start + int(np.prod(shape))].reshape(shape)
