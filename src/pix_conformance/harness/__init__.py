"""What a test holds: clients and their transport, `expect`, events, deferred parts, the clock.

In comes a call of a test; out goes a request, or a wait. Each response is handed to the recorder of the run, and each
question that a test asks becomes a judgement there.
"""
