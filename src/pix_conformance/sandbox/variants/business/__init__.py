"""Conforming variants of the business charge API, by the first requirement that they are silent in."""
