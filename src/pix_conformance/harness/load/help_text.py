"""The text of `pix-load --help`."""

TEXT = """\
usage: pix-load [--users N] [--rate N] [--run-time S] [--workers N] [options of pix-conformance]

Lets users send requests to a server at the same time: they create, pay and cancel charges, send and complete transfers,
and repeat all of it. Then it judges what they were answered, and writes a report as pix-conformance does.

  --users N       users at the same time (default: 5)
  --rate N        requests per second of all users together (default: 20)
  --run-time S    seconds for which they send requests, at most 300 (default: 30)
  --workers N     processes of Locust in which the users run (default: 2)

Address, credentials and the other settings are those of pix-conformance: pix-conformance --help lists them. Without an
address the embedded reference is tested. The exit status is that of pix-conformance. Locust's own page and its table of
response times are locust.html and locust_stats.csv in the report directory. It needs pix-conformance[load]."""
