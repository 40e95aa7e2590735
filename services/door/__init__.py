"""The door of a web service: who may come in, and how a no is told."""
