"""What variants of both APIs are made with."""
