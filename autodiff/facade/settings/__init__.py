"""What a program can set: the configuration, modes of threads, devices."""
