"""The other side of the contract: how an integration (a client and a webhook endpoint) is started, driven and observed.

In come its description (addresses and commands) and a sandbox. Its client's requests pass the `Gateway`, which records
them and may lose, slow or refuse some; the events that its endpoint receives are made and signed here.
"""
