"""Bookkeeping on paper: an event in, postings to the cent out."""
