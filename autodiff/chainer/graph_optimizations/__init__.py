"""What Chainer had for graphs that never change."""
