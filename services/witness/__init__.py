"""The witness: whoever runs it vouches that a casino's log only grows. It reads checkpoints, never entries."""
