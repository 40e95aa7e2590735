"""The signer of the last ingredient: independent of the house, it holds a key and signs one kind of message."""
