"""What Chainer 1 had and Chainer 7 has not, or has otherwise: ``python -m autodiff.chainer --compat v1``."""
