"""The ledger service: reads the log, writes the books."""
