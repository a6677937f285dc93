collect_ignore = ["make_batches.py"]  # it needs Chainer
