"""Taking turns on one GPU: clocks, adapters of libraries, rounds, a budget of time, and the table."""
