"""The libraries of GPUs: products, convolutions and linear algebra by cuBLAS and cuSOLVER."""
