"""The way of every request to the target: it is paced, limited in time and size, and recorded."""
