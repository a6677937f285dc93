"""Operations on arrays of Dask: what those that are not elementwise do with chunks. Dask is imported by users alone."""
