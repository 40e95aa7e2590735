"""The table service: accepts commands, appends sealed events to the log."""
