"""Products with weights: linear maps, convolutions and their transposes, embeddings."""
