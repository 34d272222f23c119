"""Matchers: frozen, serialisable values that judge one exchange or delivery."""
