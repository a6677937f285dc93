"""The arguments that functions are tried on: values, dtypes, shapes, layouts, special points."""
