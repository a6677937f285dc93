import pickle
import re
import sys
import zipfile

import numpy as np
import pytest

from autodiff.chainer.datasets import (
    ImageDataset,
    LabeledImageDataset,
    LabeledZippedImageDataset,
    MultiZippedImageDataset,
    ZippedImageDataset,
    image_dataset,
)
from autodiff.facade.settings.configuration import mixed16, using_config

PIXELS = np.arange(36, dtype=np.uint8).reshape(4, 3, 3)


@pytest.fixture
def folder(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(PIXELS).save(tmp_path / "colour.png")
    image.fromarray(PIXELS[..., 0]).save(tmp_path / "grey.png")
    (tmp_path / "paths.txt").write_text("colour.png\ngrey.png\n")
    (tmp_path / "pairs.txt").write_text("grey.png 5\ncolour.png 2\n")
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as file:
        for name in ("colour.png", "grey.png"):
            file.write(tmp_path / name, name)
    return tmp_path


def test_images(folder):
    assert image_dataset.available
    for paths in (["colour.png", "grey.png"], str(folder / "paths.txt")):
        dataset = ImageDataset(paths, root=str(folder))
        assert len(dataset) == 2
        assert dataset[0].dtype == np.float32
        np.testing.assert_array_equal(dataset[0], PIXELS.transpose(2, 0, 1))
        np.testing.assert_array_equal(dataset[1], PIXELS[np.newaxis, ..., 0])


def test_dtypes(folder):
    assert ImageDataset(["grey.png"], root=str(folder), dtype=np.uint8)[0].dtype == np.uint8
    with using_config("dtype", mixed16):
        assert ImageDataset(["grey.png"], root=str(folder))[0].dtype == np.float16


def test_labels(folder):
    for pairs in ([("grey.png", 5), ("colour.png", 2)], str(folder / "pairs.txt")):
        dataset = LabeledImageDataset(pairs, root=str(folder))
        image, label = dataset[0]
        assert (len(dataset), image.shape, label, label.dtype) == (2, (1, 4, 3), 5, np.int32)
    assert LabeledImageDataset([("grey.png", 5)], root=str(folder), label_dtype=np.float32)[0][1].dtype == np.float32


@pytest.mark.parametrize("line", ["grey.png", "grey.png 1 2", ""])
def test_wrong_lines(folder, line):
    path = folder / "wrong.txt"
    path.write_text(f"grey.png 1\n{line}\n")
    with pytest.raises(ValueError, match=re.escape(f"is {line!r}; it must be a path and a label, without spaces")):
        LabeledImageDataset(str(path))


def test_zipped_images(folder):
    dataset = ZippedImageDataset(str(folder / "images.zip"))
    assert (len(dataset), dataset[1].shape, dataset[-1].shape, dataset["colour.png"].shape) == (
        2,
        (1, 4, 3),
        (1, 4, 3),
        (3, 4, 3),
    )
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(dataset))[0], PIXELS.transpose(2, 0, 1))
    with pytest.raises(KeyError, match=r"nope\.png"):
        dataset["nope.png"]


def test_several_zip_files_and_labels(folder):
    path = str(folder / "images.zip")
    dataset = MultiZippedImageDataset([path, path])
    assert (len(dataset), dataset[2].shape, dataset[3].shape) == (4, (3, 4, 3), (1, 4, 3))
    labeled = LabeledZippedImageDataset(path, str(folder / "pairs.txt"))
    image, label = labeled[0]
    assert (len(labeled), image.shape, label, label.dtype) == (2, (1, 4, 3), 5, np.int32)


def test_without_pillow_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(RuntimeError, match="pip install pillow"):
        ImageDataset(["a.png"])[0]


def test_parts_that_data_sets_of_programs_take(folder, monkeypatch):
    image_dataset._check_pillow_availability()
    for name, pixels in (("colour.png", PIXELS), ("grey.png", PIXELS[..., 0])):
        read = image_dataset._read_image_as_array(str(folder / name), np.float32)
        assert read.dtype == np.float32
        np.testing.assert_array_equal(read, pixels)
        (want,) = ImageDataset([name], root=str(folder))[:]
        np.testing.assert_array_equal(image_dataset._postprocess_image(read), want)
    monkeypatch.setattr("autodiff.chainer.datasets.image_files.available", False)
    with pytest.raises(ImportError, match=r"PIL cannot be loaded.*pip install pillow"):
        image_dataset._check_pillow_availability()
