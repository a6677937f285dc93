"""What an operation costs: autodiff beside its peers, measured in one run."""
