"""Programs for GPUs: most are those of `compiled_programs` at other sizes."""
