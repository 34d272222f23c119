"""The console scripts: each finds the suite (checkout or wheel), then hands over."""
