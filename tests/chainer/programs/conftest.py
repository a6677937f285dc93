collect_ignore_glob = ["version_one*.py"]  # scripts that say `import chainer`
