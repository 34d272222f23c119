"""Conforming variants of the payments API, by the first requirement that they are silent in."""
