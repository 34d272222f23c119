"""A run under load: Locust's users send the requests, and the run records and judges what they were answered."""
