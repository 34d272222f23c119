"""Is this value right: one kind of value in each file, such as a PIX code or a signature.

In comes a value as a server sent it. Out comes what is wrong with it, in words, or its parts. No function raises an
exception for a hostile value.
"""
