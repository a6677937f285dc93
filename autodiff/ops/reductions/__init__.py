"""What combines the elements along axes: sums, extremes, running sums, orders."""
