"""Links of linear maps, convolutions and lookups."""
