"""Networks for photographs: layers, values of Chainer 7.8.1, preparation of images, weights from files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.chain import Chain
from autodiff.chainer.dataset import get_dataset_root, set_dataset_root
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.model.vision import googlenet, resnet, vgg
from autodiff.chainer.serializers import save_npz
from autodiff.facade.settings.configuration import using_config

IMAGES = np.random.RandomState(1).rand(2, 3, 224, 224).astype("f")[:, :, :64, :64]


@pytest.fixture(autouse=True)
def evaluation() -> Iterator[None]:
    np.random.seed(0)  # noqa: NPY002
    with using_config("train", False):
        yield


@pytest.fixture
def models_folder(tmp_path: Any) -> Iterator[Any]:
    before = get_dataset_root()
    set_dataset_root(str(tmp_path))
    yield tmp_path / "pfnet" / "chainer" / "models"
    set_dataset_root(before)


@pytest.fixture
def small_vgg(monkeypatch: Any) -> None:
    monkeypatch.setattr(vgg, "Linear", lambda in_size, out_size, **initial: Linear(None, 10, **initial))


@pytest.mark.usefixtures("small_vgg")
def test_vgg():
    model = L.VGG16Layers(None)
    blocks = [[f"conv{b}_{i}" for i in range(1, n + 1)] + [f"pool{b}"] for b, n in enumerate((2, 2, 3, 3, 3), 1)]
    assert model.available_layers == [*chain.from_iterable(blocks), "fc6", "fc7", "fc8", "prob"]
    outputs = model(IMAGES[:1, :, :32, :32], layers=["pool1", "prob"])
    assert {name: y.shape for name, y in outputs.items()} == {"pool1": (1, 64, 16, 16), "prob": (1, 10)}
    assert list(model(IMAGES[:1, :, :32, :32])) == ["prob"]
    np.testing.assert_allclose(model.conv1_1.W.array.ravel()[:3], [0.01764052, 0.00400157, 0.00978738], rtol=1e-6)


@pytest.mark.usefixtures("small_vgg")
def test_vgg_19_draws_its_additional_kernels_last():
    model = vgg.VGGLayers(None, 19)
    np.testing.assert_allclose(model.conv3_1.W.array.sum(), 9.8708, rtol=1e-3)
    np.testing.assert_allclose(model.conv4_1.W.array.sum(), -3.1342, rtol=1e-3)
    assert [name for name in model.available_layers if name.startswith("conv5")] == [f"conv5_{i}" for i in (1, 2, 3, 4)]


def test_resnet():
    model = L.ResNet50Layers(None)
    assert model.available_layers == ["conv1", "pool1", "res2", "res3", "res4", "res5", "pool5", "fc6", "prob"]
    outputs = model(IMAGES, layers=["res3", "pool5"])
    assert list(outputs) == ["res3", "pool5"]
    np.testing.assert_allclose(outputs["res3"].array.sum(), 4.2668e5, rtol=1e-4)
    np.testing.assert_allclose(outputs["pool5"].array.sum(), 4.2365e5, rtol=1e-4)
    features = model.extract([np.ones((3, 9, 9), "f")], size=(32, 32))
    assert {name: y.shape for name, y in features.items()} == {"pool5": (1, 2048)}


def test_resnet_may_step_in_its_convolutions_of_three_pixels():
    block = resnet.BuildingBlock(2, 4, 2, 8, 2, downsample_fb=True)
    assert [block.a.conv1.stride, block.a.conv2.stride, block.a.conv4.stride] == [(1, 1), (2, 2), (2, 2)]
    assert block(np.ones((1, 4, 6, 6), "f")).shape == (1, 8, 3, 3)
    assert [child.name for child in block.children()] == ["a", "b1"]


def test_googlenet():
    model = L.GoogLeNet(None)
    assert model.available_layers[5:9] == ["inception_3a", "inception_3b", "pool3", "inception_4a"]
    np.testing.assert_allclose(model.conv1.W.array.ravel()[:2], [0.01394672, 0.06148268], rtol=1e-5)
    np.testing.assert_allclose(model.inc5b.conv3.W.array.sum(), 16.06889, rtol=1e-4)
    outputs = model(IMAGES, layers=["pool2", "inception_4d"])
    assert {name: y.shape for name, y in outputs.items()} == {"pool2": (2, 192, 8, 8), "inception_4d": (2, 528, 4, 4)}


def test_googlenet_computes_only_what_a_branch_needs(monkeypatch: Any):
    model = googlenet.GoogLeNet.__new__(googlenet.GoogLeNet)
    called: list[str] = []
    names = ["conv1", "inception_4a", "inception_4d", "prob", "loss1_fc2", "loss2_fc2"]
    layers = {name: [lambda x, name=name: called.append(name) or [*x, name]] for name in names}
    monkeypatch.setattr(googlenet.GoogLeNet, "functions", layers)
    assert model.forward([], ["loss1_fc2"]) == {"loss1_fc2": ["conv1", "inception_4a", "loss1_fc2"]}
    assert called == ["conv1", "inception_4a", "loss1_fc2"]
    outputs = model.forward([], ["loss2_fc2", "prob"])
    assert outputs == {"prob": names[:4], "loss2_fc2": [*names[:3], "loss2_fc2"]}


def test_predict_is_the_mean_over_crops(monkeypatch: Any):
    model = googlenet.GoogLeNet.__new__(googlenet.GoogLeNet)
    Chain.__init__(model)
    monkeypatch.setattr(googlenet.GoogLeNet, "functions", {"prob": [lambda x: x.mean(axis=(2, 3))]})
    image = np.full((3, 5, 5), 100, "f")
    for oversample in (True, False):
        y = model.predict([image, image], oversample=oversample)
        np.testing.assert_allclose(y.array, [[-4, -17, -23]] * 2, rtol=1e-5)


@pytest.mark.parametrize(
    ("module", "first", "last"),
    [
        (vgg, [-21.939, 113.221, 48.32], 69.32),
        (resnet, [-21.063, 114.097, 48.848], 69.848),
        (googlenet, [-22, 113, 49], 70),
    ],
)
def test_images_are_prepared_as_in_chainer(module: Any, first: Any, last: float):
    pytest.importorskip("PIL")
    image = np.random.RandomState(0).randint(0, 255, (3, 5, 4)).astype("f")
    x = module.prepare(image, size=None)
    assert x.shape == (3, 5, 4)
    assert x.dtype == np.float32
    np.testing.assert_allclose([*x[:, 0, 0], x[-1, -1, -1]], [*first, last], rtol=1e-6)
    assert module.prepare(image).shape == (3, 224, 224)
    assert module.prepare(image[0], size=(7, 6)).shape == (3, 6, 7)
    np.testing.assert_array_equal(module.prepare(image[:1], None), module.prepare(image[0], None))


def test_what_is_no_image():
    pytest.importorskip("PIL")
    text = r"^an image of Pillow or an array \(3, H, W\) is needed, got 'photo.png' \(test_vision.py:\d+\)$"
    with pytest.raises(TypeError, match=text):
        vgg.prepare("photo.png")


def test_weights_come_from_files(tmp_path: Any, models_folder: Any, monkeypatch: Any):
    monkeypatch.setattr(resnet, "BuildingBlock", lambda *sizes: L.Bias(shape=2))
    monkeypatch.setattr(resnet, "Linear", lambda in_size, out_size, **initial: Linear(2, 3, **initial))
    trained = resnet.ResNetLayers(None, 50)
    path = tmp_path / "weights.npz"
    save_npz(path, trained)
    models_folder.mkdir(parents=True)
    path.rename(models_folder / "ResNet-50-model.npz")
    for model in (L.ResNet50Layers("auto"), L.ResNet50Layers(str(models_folder / "ResNet-50-model.npz"))):
        np.testing.assert_array_equal(model.fc6.W.array, trained.fc6.W.array)


def test_weights_are_neither_downloaded_nor_converted(models_folder: Any):
    with pytest.raises(NotImplementedError) as caught:
        L.ResNet50Layers()
    text = str(caught.value)
    assert text.startswith("ResNet50Layers does not download its trained weights (test_vision.py:")
    assert text.endswith(
        f"); give pretrained_model= the path of an npz file of Chainer, or put it at "
        f"{models_folder / 'ResNet-50-model.npz'}; pretrained_model=None starts with random ones"
    )
    text = (
        r"^VGG16Layers does not read models of Caffe \(test_vision.py:\d+\), got 'a.caffemodel'; write it as npz with "
        r"Chainer 7 \(convert_caffemodel_to_npz\), and give pretrained_model= the path of that$"
    )
    with pytest.raises(NotImplementedError, match=text):
        L.VGG16Layers.convert_caffemodel_to_npz("a.caffemodel", "a.npz")


def test_wrong_arguments():
    for kind, text in ((vgg.VGGLayers, "16 or 19"), (resnet.ResNetLayers, "50, 101 or 152")):
        with pytest.raises(ValueError, match=rf"^n_layers must be {text}, got 18 \(test_vision.py:\d+\)$"):
            kind(None, 18)
    model = googlenet.GoogLeNet.__new__(googlenet.GoogLeNet)
    with pytest.raises(ValueError, match=r"^test= is gone; use chainer.using_config\('train', value\) "):
        model.forward(IMAGES, test=True)
    with pytest.raises(ValueError, match=r"^volatile= is gone; use chainer.using_config\('enable_backprop', value\) "):
        model.extract([], volatile=True)
    with pytest.raises(TypeError, match=r"got unexpected keyword argument\(s\) 'foo'"):
        model.forward(IMAGES, foo=True)
