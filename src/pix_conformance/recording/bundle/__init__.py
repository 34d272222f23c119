"""The bundle that a run leaves: its values, the one that reads it and the one that writes it."""
