collect_ignore = ["version_one.py"]  # a script that says `import chainer`
