"""The nouns: requirements, exchanges, deliveries, and the documents that state what is required."""
