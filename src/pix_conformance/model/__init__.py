"""What is it called: the nouns that all rooms share, and what is read from `specs/`.

In come the files of `specs/`, and JSON as it was sent or stored. Out come requirements, operations, states, limits,
settings, exchanges and deliveries. No module here sends, judges or writes anything.
"""
