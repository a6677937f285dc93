collect_ignore = ["snapshots/make.py"]  # it needs Chainer
