"""Chainer's names over autodiff."""
