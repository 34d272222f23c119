"""What it means: the verdict on each requirement, the exit status and the headline.

In comes a recording, of a run that goes on, of workers together, or read from a bundle, and the waivers. Out comes the
outcome of each requirement with its reason and evidence.
"""
