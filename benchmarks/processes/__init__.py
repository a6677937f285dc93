"""What each of several processes runs: collective operations, and training steps of autodiff and of PyTorch."""
