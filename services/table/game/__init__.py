"""The rules of the game: no clock, no dice, no database, no web."""
