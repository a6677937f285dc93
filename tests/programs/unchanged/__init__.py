"""Programs as people publish them: nothing in them knows of autodiff. Each function takes one vector and gives one number."""
