"""The rooms of the house."""
