import numpy as np
import pytest
import scipy.special

from autodiff.chainer.running import scipy_misc as misc
from tests.chainer.running.process import run, written

pytest.importorskip("PIL")

GREY = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10
COLOURS = np.arange(72, dtype=np.uint8).reshape(4, 6, 3) * 3


@pytest.mark.parametrize(
    ("given", "options", "wanted"),
    [
        (np.array([7, 200], np.uint8), {}, [7, 200]),
        (np.array([0.0, 0.5, 1.0]), {}, [0, 128, 255]),
        (np.array([0.0, 0.5, 1.0], "f"), {}, [0, 128, 255]),
        (np.array([-128, 127], np.int8), {}, [0, 255]),
        (np.array([3, 3]), {}, [0, 0]),
        (np.array([0.0, 1.0, 3.0]), {"cmin": 1, "cmax": 2}, [0, 0, 255]),
        (np.array([0.0, 1.0]), {"high": 20, "low": 10}, [10, 20]),
        (np.array([False, True]), {}, [0, 255]),
    ],
)
def test_numbers_are_scaled_to_bytes(given, options, wanted):
    found = misc.bytescale(given, **options)
    assert found.dtype == np.uint8
    assert found.tolist() == wanted


@pytest.mark.parametrize("options", [{"high": 256}, {"low": -1}, {"high": 1, "low": 2}, {"cmin": 2, "cmax": 1}])
def test_what_are_no_bytes_is_refused(options):
    with pytest.raises(ValueError, match=r"low|cm"):
        misc.bytescale(np.zeros(2), **options)


@pytest.mark.parametrize(
    ("shape", "size", "wanted"),
    [
        ((4, 6), 50, (2, 3)),
        ((4, 6), 0.5, (2, 3)),
        ((4, 6), np.float32(2), (8, 12)),
        ((4, 6), np.int64(100), (4, 6)),
        ((4, 6), (3, 5), (3, 5)),
        ((4, 6, 3), (3, 5), (3, 5, 3)),
        ((4, 6, 3), (3, 5, 3), (3, 5, 3)),
        ((4, 6, 4), [3, 5], (3, 5, 4)),
        ((3, 8, 6), 50, (4, 3, 3)),
        ((8, 3, 6), 50, (4, 3, 3)),
    ],
)
@pytest.mark.parametrize("interp", ["nearest", "lanczos", "bilinear", "bicubic", "cubic"])
def test_images_are_resized_to_bytes(shape, size, wanted, interp):
    found = misc.imresize(np.random.default_rng(0).random(shape, "f"), size, interp)
    assert found.shape == wanted
    assert found.dtype == np.uint8


def test_modes_of_resized_images():
    assert misc.imresize(GREY, (4, 6)).tolist() == GREY.tolist()
    assert misc.imresize(GREY / 2.0, (4, 6), mode="F").tolist() == (GREY / 2.0).tolist()
    assert misc.imresize(GREY * 1.0, (4, 6)).max() == 255
    assert misc.imresize(GREY, (4, 6), mode="P").shape == (4, 6, 3)
    assert misc.imresize(GREY, (4, 6), "nearest", mode="I").max() == 255
    assert misc.imrotate(np.eye(2, dtype=np.uint8), 90, "nearest").tolist() == [[0, 1], [1, 0]]
    assert (np.asarray(misc.toimage(GREY, high=100, mode="1")) == (GREY > 100)).all()


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (np.zeros(3), {}, "suitable"),
        (np.zeros((2, 2, 2)), {}, "suitable"),
        (np.zeros((2, 2), complex), {}, "complex"),
        (np.zeros((2, 2)), {"mode": "RGB"}, "mode RGB"),
        (np.zeros((2, 2, 3)), {"mode": "RGBA"}, "3 channels"),
        (np.zeros((2, 2, 3)), {"mode": "L"}, "3 channels"),
        (np.zeros((3, 2, 2)), {"channel_axis": 2}, "Channel axis"),
    ],
)
def test_arrays_that_are_no_images_are_refused(given, options, words):
    with pytest.raises(ValueError, match=words):
        misc.toimage(given, **options)


def test_images_are_written_and_read(tmp_path):
    for image in (GREY, COLOURS):
        misc.imsave(tmp_path / "image.png", image)
        found = misc.imread(tmp_path / "image.png")
        assert found.dtype == np.uint8
        assert found.tolist() == image.tolist()
        found[0] = 0
    misc.imsave(str(tmp_path / "image"), COLOURS, "png")
    assert misc.imread(tmp_path / "image", mode="L").shape == (4, 6)
    grey = misc.imread(tmp_path / "image", flatten=True)
    assert grey.shape == (4, 6)
    assert grey.dtype == np.float32
    misc.toimage(GREY, mode="P").save(tmp_path / "palette.png")
    assert misc.imread(tmp_path / "palette.png").tolist() == np.repeat(GREY[..., None], 3, 2).tolist()
    misc.toimage(GREY, high=100, mode="1").save(tmp_path / "bits.png")
    assert set(misc.imread(tmp_path / "bits.png").ravel().tolist()) == {0, 255}


def test_functions_that_moved_are_scipys():
    for name in ("comb", "factorial", "factorial2", "factorialk", "logsumexp"):
        assert getattr(misc, name) is getattr(scipy.special, name)


PROGRAM = """
import sys
assert "PIL.Image" not in sys.modules
import scipy, scipy.misc
from scipy.misc import imread, logsumexp
import scipy.misc as misc
from PIL import Image
print(scipy.misc is misc, scipy.misc.imresize([[0, 1], [2, 3]], 200).shape, misc.comb(4, 2))
print(Image.ANTIALIAS is Image.LANCZOS, Image.CUBIC == Image.BICUBIC, Image.LINEAR == Image.BILINEAR)
"""


def test_programs_find_former_names_of_scipy_and_pillow(tmp_path):
    out, err = run(written(tmp_path, "script.py", PROGRAM))
    assert (out, err) == ("True (4, 4) 6.0\nTrue True True\n", "")
    out, err, code = run(
        "--no-numpy-aliases", written(tmp_path, "two.py", "from PIL.Image import ANTIALIAS"), check=False
    )
    assert code
    assert "ANTIALIAS" in err
