"""Which inputs and which sequences: requests from the OpenAPI files, walks from the tables of states.

In come a description and the seed of the run. Out come requests that the description allows, or that break it in one
way, and sequences of steps with what each should do.
"""
