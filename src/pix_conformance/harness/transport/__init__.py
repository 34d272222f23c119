"""The one way out: every request is paced, bounded and recorded here."""
