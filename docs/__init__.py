"""Generated pages, and the modules that generate them."""
