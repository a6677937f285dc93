collect_ignore_glob = ["version_one*.py", "version_three*.py"]  # scripts that say `import chainer`
