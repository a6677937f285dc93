"""Items that need the tests and benchmarks of a checkout. Their modules are imported when they are asked for."""
