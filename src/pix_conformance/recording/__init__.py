"""What happened: the exchanges, deliveries, judgements and findings of a run, and the bundle that keeps them.

In come messages as they were sent and received. They are redacted once, here, before anything is kept; out comes a
recording, which one writer stores and one reader reads again.
"""
