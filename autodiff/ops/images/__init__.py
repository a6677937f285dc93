"""What slides over images: windows, convolution, pooling."""
