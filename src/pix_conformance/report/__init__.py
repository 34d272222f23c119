"""The answer: a bundle in, pages out. Nothing here ever sends anything."""
