"""How do workers share a run? The first process starts them, each runs a shard, and the first one reads their facts."""
