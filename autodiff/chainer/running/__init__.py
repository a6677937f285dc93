"""Running programs that say ``import chainer``."""
