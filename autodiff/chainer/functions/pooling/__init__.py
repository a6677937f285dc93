"""Windows and regions of images brought to one number each, and back."""
